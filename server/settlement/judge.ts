import { findSpender, type Mined, readHead } from '../chain/chain-view.ts';
import type { CheckTransfer } from '../chain/check-transfer.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import { type ExpectedPayment, tracePayment } from '../chain/token-logs.ts';
import type { ReadPayer } from '../payment/balance.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { Inclusion } from '../types/inclusion.ts';
import type { Bytes32 } from '../types/units.ts';
import type { IsOurs } from './attribution.ts';
import type { RefusalReason } from './settler.ts';

/** What the chain says of one payment. */
export type Verdict =
  | { readonly kind: 'paid'; readonly inclusion: Inclusion }
  /** `txHash` names the transaction that spent the authorization, where one did. */
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly txHash: Bytes32 | null }
  | { readonly kind: 'expired' }
  /** Nothing moved and nothing forbids it: another transaction may carry it. */
  | { readonly kind: 'untouched' }
  /** The same, but the chain's time is not past `validAfter` yet. */
  | { readonly kind: 'early' }
  /** The same, but the token takes no transfer to the recipient from anybody. */
  | { readonly kind: 'stopped' }
  /** The node did not answer, or has not seen enough of the chain; ask again. */
  | { readonly kind: 'unknown' };

export type JudgePorts = {
  readonly rpc: Rpc;
  readonly token: PaymentToken;
  readonly readPayer: ReadPayer;
  readonly checkTransfer: CheckTransfer;
  readonly isOurs: IsOurs;
  readonly logBlocksMax: number;
};

/** Whether a mined transaction made this payment: by its logs, never by its status. */
export function isPaidBy(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, expectedOf(payment)) === 'paid';
}

/**
 * Asks the chain about a payment that no transaction of ours was seen to make: another one of ours or of somebody else may
 * have made it, the payer may have taken the nonce back or emptied the wallet, its time may be over, or the token refuses
 * the transfer. A node that is not at `seenBlock` yet knows less than we do. Only a verdict that rests on logs
 * `isCertain`; the others rest on what a node did not see, and a replica that lags sees little.
 */
export async function judge(payment: PaymentRecord, ports: JudgePorts, seenBlock: number): Promise<Verdict> {
  const expected = expectedOf(payment);
  // The time is read before the nonce: a payment made in between is then seen as made.
  const head = await readHead(ports.rpc);
  if (!head.ok || head.value.block < seenBlock) return { kind: 'unknown' };
  const spender = await findSpender(ports.rpc, ports.token, expected, ports.logBlocksMax);
  if (!spender.ok) return { kind: 'unknown' };
  if (spender.value !== null) return judgeSpender(payment, spender.value, ports.isOurs);
  if (head.value.seconds >= payment.authorization.validBefore) return { kind: 'expired' };
  if (head.value.seconds <= payment.authorization.validAfter) return { kind: 'early' };
  const balance = await ports.token.balanceOf(expected.from);
  if (!balance.ok) return { kind: 'unknown' };
  if (balance.value < expected.value) return { kind: 'refused', reason: 'insufficient_funds', txHash: null };
  switch (await ports.checkTransfer(payment.authorization, payment.signature)) {
    case 'passes':
      return { kind: 'untouched' };
    case 'reverts':
      return { kind: 'refused', reason: 'invalid_transaction_state', txHash: null };
    case 'stopped':
      return { kind: 'stopped' };
    case 'unknown':
      return { kind: 'unknown' };
  }
}

/** Whether a verdict needs no second look: it was read from the logs of a block. */
export function isCertain(verdict: Verdict): boolean {
  return verdict.kind === 'paid' || (verdict.kind === 'refused' && readFromLogs.includes(verdict.reason));
}

const readFromLogs: readonly RefusalReason[] = [
  'authorization_canceled',
  'authorization_used',
  'third_party_sender',
];

/** What the transaction that spent a payment's nonce says of the payment. */
export async function judgeSpender(
  payment: PaymentRecord,
  mined: Mined,
  isOurs: IsOurs,
): Promise<Extract<Verdict, { kind: 'paid' | 'refused' | 'unknown' }>> {
  const { txHash, block, blockHash } = mined;
  switch (tracePayment(mined.logs, expectedOf(payment))) {
    case 'paid': {
      const ours = await isOurs(payment, mined);
      if (ours === 'unclear') return { kind: 'unknown' };
      return ours
        ? { kind: 'paid', inclusion: { txHash, block, blockHash } }
        : { kind: 'refused', reason: 'third_party_sender', txHash };
    }
    case 'canceled':
      return { kind: 'refused', reason: 'authorization_canceled', txHash };
    case 'used-otherwise':
      return { kind: 'refused', reason: 'authorization_used', txHash };
    case 'absent':
      return { kind: 'unknown' };
  }
}

export function expectedOf({ asset, authorization }: PaymentRecord): ExpectedPayment {
  return { asset, ...authorization };
}
