import type { Rpc } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import { type ExpectedPayment, tracePayment } from '../chain/token-logs.ts';
import type { Inclusion, PaymentRecord } from '../store/store.ts';
import { findSpender, type Mined, readHead } from './chain-view.ts';
import type { RefusalReason } from './settler.ts';

/** What the chain says of one payment. */
export type Verdict =
  | { readonly kind: 'paid'; readonly inclusion: Inclusion }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }
  | { readonly kind: 'expired' }
  /** Nothing moved and nothing forbids it: another transaction may carry it. */
  | { readonly kind: 'untouched' }
  /** The node did not answer; ask again. */
  | { readonly kind: 'unknown' };

export type JudgePorts = { readonly rpc: Rpc; readonly token: PaymentToken; readonly lookBackBlocks: number };

/** Whether a mined transaction made this payment: by its logs, never by its status. */
export function isPaidBy(payment: PaymentRecord, mined: Mined): boolean {
  return tracePayment(mined.logs, expectedOf(payment)) === 'paid';
}

/**
 * Asks the chain about a payment that no transaction of ours was seen to make: somebody may have been faster and paid us
 * all the same, the payer may have taken the nonce back or emptied the wallet, or its time may be over.
 */
export async function judge(payment: PaymentRecord, ports: JudgePorts): Promise<Verdict> {
  const expected = expectedOf(payment);
  // The time is read before the nonce: a payment made in between is then seen as made.
  const head = await readHead(ports.rpc);
  if (!head.ok) return { kind: 'unknown' };
  const spender = await findSpender(ports.rpc, ports.token, expected, ports.lookBackBlocks);
  if (!spender.ok) return { kind: 'unknown' };
  if (spender.value !== null) return judgeSpender(expected, spender.value);
  if (head.value.seconds >= payment.authorization.validBefore) return { kind: 'expired' };
  const balance = await ports.token.balanceOf(expected.from);
  if (!balance.ok) return { kind: 'unknown' };
  return balance.value < expected.value
    ? { kind: 'refused', reason: 'insufficient_funds' }
    : { kind: 'untouched' };
}

function judgeSpender(expected: ExpectedPayment, { logs, txHash, block, blockHash }: Mined): Verdict {
  switch (tracePayment(logs, expected)) {
    case 'paid':
      return { kind: 'paid', inclusion: { txHash, block, blockHash } };
    case 'canceled':
      return { kind: 'refused', reason: 'authorization_canceled' };
    case 'used-otherwise':
      return { kind: 'refused', reason: 'authorization_used' };
    case 'absent':
      return { kind: 'unknown' };
  }
}

function expectedOf({ asset, authorization }: PaymentRecord): ExpectedPayment {
  return { asset, ...authorization };
}
