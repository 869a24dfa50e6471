import type { Log } from '../observe/log.ts';
import type { PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../vocabulary/clock.ts';
import { type UnixSeconds, unixSeconds } from '../vocabulary/units.ts';
import type { Mined } from './chain-view.ts';
import { isPaidBy, type JudgePorts, judge, type Verdict } from './judge.ts';
import type { Settlement } from './settler.ts';

export type ConcludePorts = JudgePorts & {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a payer who left work unpaid is held back. */
  readonly debtBlockSeconds: number;
  /** Tells who waits for a payment what became of it. */
  readonly announce: (paymentId: number, settlement: Settlement) => void;
};

/** Those of the payments that a mined transaction made are settled, all in one write. Returns the others. */
export async function settlePaid(
  payments: readonly PaymentRecord[],
  mined: Mined,
  { store, announce }: ConcludePorts,
): Promise<readonly PaymentRecord[]> {
  const paid = payments.filter((payment) => isPaidBy(payment, mined));
  if (paid.length > 0) {
    await store.settle(
      paid.map(({ id }) => id),
      mined,
    );
    for (const { id } of paid) announce(id, { state: 'settled', txHash: mined.txHash });
  }
  return payments.filter((payment) => !paid.includes(payment));
}

/**
 * Concludes payments one by one. Returns those that the chain has not spoken of: `again` may go into another
 * transaction, `unknown` must be asked about once more.
 */
export async function concludeEach(
  payments: readonly PaymentRecord[],
  ports: ConcludePorts,
): Promise<{ readonly again: readonly PaymentRecord[]; readonly unknown: readonly PaymentRecord[] }> {
  const again: PaymentRecord[] = [];
  const unknown: PaymentRecord[] = [];
  for (const payment of payments) {
    const verdict = await judge(payment, ports);
    if (verdict.kind === 'untouched') again.push(payment);
    else if (verdict.kind === 'unknown') unknown.push(payment);
    else await write(payment, verdict, ports);
  }
  return { again, unknown };
}

async function write(
  { id }: PaymentRecord,
  verdict: Exclude<Verdict, { kind: 'untouched' | 'unknown' }>,
  { store, clock, log, announce, debtBlockSeconds }: ConcludePorts,
): Promise<void> {
  switch (verdict.kind) {
    case 'paid':
      await store.settle([id], verdict.inclusion);
      return announce(id, { state: 'settled', txHash: verdict.inclusion.txHash });
    case 'expired':
      log.warn({ payment: id }, 'a payment ran out of time before the chain took it; its answer is withheld');
      await store.expire(id);
      return announce(id, { state: 'refused', reason: 'payment_expired' });
    case 'refused': {
      log.warn(
        { payment: id, reason: verdict.reason },
        'the chain refused a payment after the work was done',
      );
      // Work was done for nothing: the payer is held back for a while.
      const blockedUntil: UnixSeconds = unixSeconds(clock.nowSeconds() + debtBlockSeconds);
      await store.fail(id, verdict.reason, { blockedUntil });
      return announce(id, { state: 'refused', reason: verdict.reason });
    }
  }
}
