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
  /** How long a payer with an unpaid inference cannot buy. */
  readonly debtBlockSeconds: number;
  readonly tokenWatch: Pick<TokenWatch, 'markStopped' | 'markUnsound'>;
  /** Passes the settlement of a payment to the requests that wait for it. */
  readonly announce: (paymentId: number, settlement: Settlement) => void;
};

/** Settles the payments that a mined transaction made, in one write. Returns the others. */
export async function settlePaid(
  payments: readonly PaymentRecord[],
  mined: Mined,
  { store, announce }: WritePorts,
): Promise<readonly PaymentRecord[]> {
  const paid = payments.filter((payment) => isPaidBy(payment, mined));
  if (paid.length > 0) {
    await settleOnce(paid, mined, store);
    for (const { id } of paid) announce(id, { state: 'settled', txHash: mined.txHash });
  }
  return payments.filter((payment) => !paid.includes(payment));
}

/** Stores a verdict. Returns false where the payment stays open. */
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
      await settleOnce([payment], verdict.inclusion, store);
      announce(id, { state: 'settled', txHash: verdict.inclusion.txHash });
      return true;
    case 'expired':
      log.warn({ payment: id }, 'A payment expired before the chain took it. Its completion is withheld.');
      await refuseOnce(id, store, () => store.expire(id));
      announce(id, { state: 'refused', reason: 'payment_expired' });
      return true;
    case 'refused': {
      const { reason, txHash } = verdict;
      if (reason !== 'third_party_sender') {
        await refuse(id, reason, ports);
        return true;
      }
      reportThirdParty(payment, txHash, log);
      // The payer has paid, and owes nothing.
      await refuseOnce(id, store, () => store.fail(id, reason, null));
      announce(id, { state: 'refused', reason });
      return true;
    }
  }
}

/** Refuses a payment after inference: its completion is withheld, and its payer cannot buy for a while. */
export async function refuse(
  id: number,
  reason: RefusalReason,
  { store, clock, log, announce, debtBlockSeconds }: WritePorts,
): Promise<void> {
  log.warn(
    { payment: id, reason },
    'The chain refused a payment after inference. Its completion is withheld.',
  );
  const blockedUntil = unixSeconds(clock.steadySeconds() + debtBlockSeconds);
  await refuseOnce(id, store, () => store.fail(id, reason, { blockedUntil }));
  announce(id, { state: 'refused', reason });
}

/**
 * Refuses a payment whose tokens our own transaction moved otherwise than signed. The operator owes the payer
 * the tokens.
 */
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
  await refuseOnce(id, store, () => store.fail(id, 'moved_otherwise', null));
  announce(id, { state: 'refused', reason: 'moved_otherwise' });
}

/**
 * Settles payments that a request, or a gateway with a newer lease, may settle at the same time (D-427). The later
 * write finds them settled, and settles the others.
 */
export async function settleOnce(
  payments: readonly PaymentRecord[],
  inclusion: Inclusion,
  store: Store,
): Promise<Settlement> {
  const ids = payments.map(({ id }) => id);
  try {
    await store.settle(ids, inclusion);
  } catch (cause) {
    const found = await Promise.all(ids.map((id) => store.find(id)));
    const open = payments.filter((_, at) => found[at]?.state !== 'settled' && found[at]?.state !== 'final');
    if (open.length === payments.length) throw cause;
    if (open.length > 0) return settleOnce(open, inclusion, store);
  }
  return { state: 'settled', txHash: inclusion.txHash };
}

/** Writes a refusal that a gateway with a newer lease may write at the same time (D-427). The first reason stays. */
async function refuseOnce(id: number, store: Store, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    const found = await store.find(id);
    if (found?.state !== 'failed' && found?.state !== 'expired') throw cause;
  }
}
