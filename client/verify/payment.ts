import { chainId, headerNames } from '@paid-inference/contract/constants';
import { decodeX402V2Payment } from '@paid-inference/contract/headers';
import type { AcceptedPayload, PaymentReceipt, SavedExchange } from '@paid-inference/contract/types';
import type { JsonRpcProvider, TransactionReceipt } from 'ethers';
import { nodeChainId } from '../chain-provider.ts';
import { readReceipt } from '../payment/receipt.ts';
import { headersOf } from '../saved-exchange.ts';
import { readTransfers } from '../transfer-events.ts';
import { cannotTell, type Finding, fails, holds } from './finding.ts';
import { isSameHex } from './hex.ts';
import { checkMissing, headOf } from './missing-transaction.ts';
import { isSignedFor } from './payer-signature.ts';

/** What an exchange says of its payment: what was signed, and what the gateway says became of it. */
export type Paid = { readonly payload: AcceptedPayload; readonly receipt: PaymentReceipt };

export type PaymentFinding = Finding & {
  /** The node does not have the transaction yet, as far as can be told. */
  readonly isPending: boolean;
};

/**
 * Whether the transaction of the receipt used the nonce of `X-PAYMENT` and moved its value to the payee, by the logs of
 * a token that the payer signed for. Nothing in a payment names the request that it pays for, so this step stands beside
 * the proof and not under it. `token` pins the token's contract, `soldAt` is when the inference was made. Rejects when the
 * chain's node does not answer.
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
    const sentence = `the payment is on chain ${chainId}, and the node that was asked is of chain ${nodeChain}`;
    return { ...fails(sentence), isPending: false };
  }
  const { txHash } = receipt;
  let transaction = await provider.getTransactionReceipt(txHash);
  if (transaction === null) {
    // A block may come between two questions: only one that was there before the second says that it lacks it.
    const head = await headOf(provider);
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
    return cannotTell(`the chain's node answered with another transaction than ${receipt.txHash}`);
  }
  if (transaction.status !== 1) return fails(`the transaction ${receipt.txHash} failed`);
  const { usedAt, movedAt } = readTransfers(transaction.logs, { ...payload.authorization });
  if (usedAt.length === 0) {
    return fails(
      `the transaction ${receipt.txHash} does not use this payment's nonce: the receipt is of another payment`,
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
      return holds(
        `${value} units of ${address} went from ${from} to ${to} in ${receipt.txHash}, as was signed`,
      );
    }
  }
  // Only the caller can say which contract is the token: one that nobody named may be to blame just as well.
  const changed = `${from} did not sign this payment: its signature or what it signs was changed`;
  return fails(
    token === null ? `${changed}, or ${tokens.join(', ')} is not the token that was paid in` : changed,
  );
}

/** Reads payment and receipt, which the contract has in every exchange that was paid for. */
export function readPaid({ request, response }: SavedExchange): Paid | { readonly fault: string } {
  const sent = headersOf(request);
  const header = sent.get(headerNames.payment) ?? sent.get(headerNames.paymentSignature);
  if (header === null)
    return {
      fault: `the request carries no ${headerNames.payment}: every request that was paid for has one`,
    };
  const answered = headersOf(response);
  if (!answered.has(headerNames.paymentResponse)) {
    return {
      fault: `the answer carries no ${headerNames.paymentResponse}: every answer that was paid for has one`,
    };
  }
  // The schema of what a gateway accepts holds all three dialects (D-34).
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
