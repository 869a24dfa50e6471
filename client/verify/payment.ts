import { chainId, headerNames } from '@paid-inference/contract/constants';
import { decodeX402V2Payment } from '@paid-inference/contract/headers';
import type { AcceptedPayload, PaymentReceipt, SavedExchange } from '@paid-inference/contract/types';
import type { JsonRpcProvider, TransactionReceipt } from 'ethers';
import { nodeChainId } from '../chain-provider.ts';
import { readReceipt } from '../payment/receipt.ts';
import { readHeaders } from '../saved-exchange.ts';
import { readTransfers } from '../transfer-events.ts';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex } from './hex.ts';
import { checkMissing, readHead } from './missing-transaction.ts';
import { isSignedFor } from './payer-signature.ts';

/** The signed payment and the gateway's receipt. */
export type Paid = { readonly payload: AcceptedPayload; readonly receipt: PaymentReceipt };

export type PaymentFinding = Finding & {
  /** The node may still get the transaction. */
  readonly isPending: boolean;
};

/**
 * Whether the transaction of the receipt used the nonce of `X-PAYMENT` and moved its value to the payee, by the
 * logs of a token that the payer signed for. A payment does not name its request, so this step is independent
 * of the proof. `token` pins the token, `soldAt` is the time of the inference. Rejects when the chain's node
 * fails.
 */
export async function checkPayment(
  paid: Paid,
  provider: JsonRpcProvider,
  token: string | null,
  soldAt: number | null,
): Promise<PaymentFinding> {
  const { payload, receipt } = paid;
  const nodeChain = await nodeChainId(provider);
  if (nodeChain !== BigInt(chainId)) {
    const sentence = `the payment is on chain ${chainId}, but the node is on chain ${nodeChain}`;
    return { ...fails(sentence), isPending: false };
  }
  const { txHash } = receipt;
  let transaction = await provider.getTransactionReceipt(txHash);
  if (transaction === null) {
    // Another block may arrive between two calls. Only a block from before the second call proves absence.
    const head = await readHead(provider);
    transaction = await provider.getTransactionReceipt(txHash);
    if (transaction === null) {
      const missing = await checkMissing(txHash, payload, provider, head, soldAt);
      return { ...missing, isPending: missing.verdict === 'unknown' };
    }
  }
  return { ...(await checkTransaction(paid, transaction, provider, token)), isPending: false };
}

async function checkTransaction(
  { payload, receipt }: Paid,
  transaction: TransactionReceipt,
  provider: JsonRpcProvider,
  token: string | null,
): Promise<Finding> {
  const { from, to, value } = payload.authorization;
  if (!isSameHex(transaction.hash, receipt.txHash)) {
    return cannotTell(`the chain's node returned another transaction than ${receipt.txHash}`);
  }
  if (transaction.status !== 1) return fails(`the transaction ${receipt.txHash} failed`);
  const { usedAt, movedAt } = readTransfers(transaction.logs, { ...payload.authorization });
  if (usedAt.length === 0) {
    return fails(
      `the transaction ${receipt.txHash} does not use this payment's nonce: the receipt belongs to another payment`,
    );
  }
  if (movedAt.length === 0)
    return fails(`the transaction ${receipt.txHash} does not move ${value} units to ${to}`);
  const tokens = token === null ? movedAt : movedAt.filter((address) => isSameHex(address, token));
  if (tokens.length === 0) {
    return fails(`the transaction ${receipt.txHash} moves units of ${movedAt.join(', ')}, not of ${token}`);
  }
  for (const address of tokens) {
    if (await isSignedFor(provider, address, payload)) {
      return holds(`${value} units of ${address} went from ${from} to ${to} in ${receipt.txHash}, as signed`);
    }
  }
  // Without a pinned token, the contract may be no token at all.
  const changed = `${from} did not sign this payment: the signature or the signed values were changed`;
  return fails(token === null ? `${changed}, or ${tokens.join(', ')} is not the payment token` : changed);
}

/** Reads payment and receipt, which the contract requires in every paid exchange. */
export function readPaid({ request, response }: SavedExchange): Paid | { readonly fault: string } {
  const sent = readHeaders(request);
  const header = sent.get(headerNames.payment) ?? sent.get(headerNames.paymentSignature);
  if (header === null)
    return {
      fault: `the request has no ${headerNames.payment}, which every paid request has`,
    };
  const answered = readHeaders(response);
  if (!answered.has(headerNames.paymentResponse)) {
    return {
      fault: `the response has no ${headerNames.paymentResponse}, which every paid response has`,
    };
  }
  // The schema of an accepted payment covers all three dialects (D-34).
  const decoded = decodeX402V2Payment(header);
  if (!decoded.ok) return { fault: `${headerNames.payment} ${decoded.message}` };
  const { payload } = decoded.value;
  const { from, to, value, nonce, validAfter, validBefore } = payload.authorization;
  const authorization = {
    from,
    to,
    value,
    nonce,
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
  };
  const read = readReceipt(answered, authorization);
  return read.ok ? { payload, receipt: read.receipt } : { fault: read.message };
}
