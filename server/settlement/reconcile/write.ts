import type { Mined } from '../../chain/chain-view.ts';
import type { Log } from '../../observe/log.ts';
import type { PaymentRecord, Store } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import { unixSeconds } from '../../types/units.ts';
import type { RefusalReason, Settlement } from '../settler.ts';
import type { TokenWatch } from '../token-watch.ts';
import { reportThirdParty } from './attribution.ts';
import { isPaidBy, type Verdict } from './decide.ts';

export type WritePorts = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a payer who left work unpaid is held back. */
  readonly debtBlockSeconds: number;
  readonly tokenWatch: Pick<TokenWatch, 'markStopped' | 'markUnsound'>;
  /** Tells the requests that wait for a payment what became of it. */
  readonly announce: (paymentId: number, settlement: Settlement) => void;
};

/** Settles those of the payments that a mined transaction made, all in one write. Returns the others. */
export async function settlePaid(
  payments: readonly PaymentRecord[],
  mined: Mined,
  { store, announce }: WritePorts,
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

/** Writes a verdict into the store; false where it leaves the payment open. */
export async function writeVerdict(
  payment: PaymentRecord,
  verdict: Verdict,
  ports: WritePorts,
): Promise<boolean> {
  const { id } = payment;
  const { store, log, announce, tokenWatch } = ports;
  switch (verdict.kind) {
    case 'stopped':
      tokenWatch.markStopped(payment.authorization.to);
      return false;
    case 'untouched':
    case 'early':
    case 'spent':
    case 'unknown':
      return false;
    case 'paid':
      await store.settle([id], verdict.inclusion);
      announce(id, { state: 'settled', txHash: verdict.inclusion.txHash });
      return true;
    case 'expired':
      log.warn({ payment: id }, 'a payment ran out of time before the chain took it; its answer is withheld');
      await store.expire(id);
      announce(id, { state: 'refused', reason: 'payment_expired' });
      return true;
    case 'refused': {
      const { reason, txHash } = verdict;
      if (reason !== 'third_party_sender') {
        await refuse(id, reason, ports);
        return true;
      }
      reportThirdParty(payment, txHash, log);
      // The payer paid, and owes nothing.
      await store.fail(id, reason, null);
      announce(id, { state: 'refused', reason });
      return true;
    }
  }
}

/** Refuses a payment whose work was done: its answer is withheld, and the payer is held back for a while. */
export async function refuse(
  id: number,
  reason: RefusalReason,
  { store, clock, log, announce, debtBlockSeconds }: WritePorts,
): Promise<void> {
  log.warn({ payment: id, reason }, 'the chain refused a payment after the work was done');
  const blockedUntil = unixSeconds(clock.steadySeconds() + debtBlockSeconds);
  await store.fail(id, reason, { blockedUntil });
  announce(id, { state: 'refused', reason });
}

/** Refuses a payment whose tokens our own transaction moved otherwise than signed. The payer owes nothing, and is owed the tokens. */
export async function refuseMovedOtherwise(
  { id, authorization }: PaymentRecord,
  { txHash }: Mined,
  { store, log, announce, tokenWatch }: WritePorts,
): Promise<void> {
  const { from, to, value, nonce } = authorization;
  log.error(
    { payment: id, txHash, payer: from, payTo: to, amount: String(value), nonce },
    'Our own transaction moved the tokens otherwise than the payer signed. The completion is withheld. Pay the tokens back.',
  );
  tokenWatch.markUnsound(txHash);
  await store.fail(id, 'moved_otherwise', null);
  announce(id, { state: 'refused', reason: 'moved_otherwise' });
}

/** Settles a payment that may be settled by another request at the same time: the second one finds it written. */
export async function settleOnce(
  { id }: PaymentRecord,
  inclusion: Inclusion,
  store: Store,
): Promise<Settlement> {
  try {
    await store.settle([id], inclusion);
  } catch (cause) {
    const now = await store.find(id);
    if (now?.state !== 'settled' && now?.state !== 'final') throw cause;
  }
  return { state: 'settled', txHash: inclusion.txHash };
}
