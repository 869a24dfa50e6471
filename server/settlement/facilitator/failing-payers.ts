import type { PaymentRecord } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import type { Address } from '../../types/units.ts';

export type FailingPayersOptions = {
  readonly clock: Clock;
  /** How long a failure is remembered after its payment is no longer open. */
  readonly holdSeconds: number;
};

/**
 * Records the payers for whom the facilitator fails, and whether it fails for all (D-165). Only the process
 * that settles has the record.
 */
export interface FailingPayers {
  /**
   * Records that the facilitator settled nothing although the chain would accept the payment. `what` is safe
   * for a log. `isExcused`: the payer's account may have made the transfer fail (D-175).
   */
  failed(payment: PaymentRecord, what: string, isExcused: boolean): void;
  settled(payment: PaymentRecord): void;
  /** Records a payment that was refused because the facilitator refuses it. */
  gaveUp(payment: PaymentRecord): void;
  /** Records that a payment is no longer under way, whatever its end. */
  ended(payment: PaymentRecord): void;
  /**
   * Returns whether a payment of another payer settled since this one first failed: then the facilitator works.
   */
  othersWereSettled(payment: PaymentRecord): boolean;
  /** Returns whether this payer may buy. */
  admits(payer: Address): boolean;
  /** Returns a sentence for the operator while the facilitator fails for all payers, else null. */
  healthIssue(): string | null;
  /** Returns a sentence while the facilitator fails for some payers, else null. */
  warning(): string | null;
}

/**
 * So many failing payers who do not excuse it, and no settlement in between, are the facilitator's fault. Fewer may
 * be at fault themselves.
 */
export const payersOfAnOutage = 3;
/** Failures of one payment before its payer cannot buy. A single failure may be chance. */
const failuresMax = 2;
/** Interval of new payments that probe a facilitator that fails for all. */
const probeMs = 5_000;

type Failing = { readonly payer: Address; readonly since: number; count: number };
type Settlement = { readonly payer: Address; readonly at: number };

export function createFailingPayers({ clock, holdSeconds }: FailingPayersOptions): FailingPayers {
  const open = new Map<number, Failing>();
  /** The last failure of each payer since the last settlement. */
  const unsettled = new Map<Address, { readonly at: number; readonly isExcused: boolean }>();
  const heldUntil = new Map<Address, number>();
  /** The last settlement, and the last one of another payer. */
  let lastSettled: readonly Settlement[] = [];
  /** Counts events, so that two events in one millisecond have an order. */
  let moment = 0;
  let fault = '';
  let probeFrom = 0;
  /** Until when a payer gets no second probe. Its first payment may not have reached the facilitator. */
  const probedUntil = new Map<Address, number>();

  return {
    failed(payment, what, isExcused) {
      const payer = readPayer(payment);
      const failing = open.get(payment.id) ?? { payer, since: ++moment, count: 0 };
      failing.count += 1;
      open.set(payment.id, failing);
      unsettled.set(payer, { at: clock.monotonicMs(), isExcused });
      fault = what;
    },
    settled(payment) {
      const payer = readPayer(payment);
      lastSettled = [
        { payer, at: ++moment },
        ...lastSettled.filter((each) => each.payer !== payer).slice(0, 1),
      ];
      open.delete(payment.id);
      unsettled.clear();
      probedUntil.clear();
      heldUntil.delete(payer);
    },
    gaveUp: (payment) => void heldUntil.set(readPayer(payment), clock.monotonicMs() + holdSeconds * 1_000),
    ended: ({ id }) => void open.delete(id),
    othersWereSettled(payment) {
      const since = open.get(payment.id)?.since ?? moment;
      return lastSettled.some(({ payer, at }) => payer !== readPayer(payment) && at > since);
    },
    admits(payer) {
      forget();
      if (heldUntil.has(payer)) return false;
      for (const failing of open.values())
        if (failing.payer === payer && failing.count >= failuresMax) return false;
      if (!isOutage()) return true;
      const now = clock.monotonicMs();
      if (now < probeFrom || probedUntil.has(payer)) return false;
      probeFrom = now + probeMs;
      probedUntil.set(payer, now + holdSeconds * 1_000);
      return true;
    },
    healthIssue() {
      forget();
      return isOutage()
        ? `the facilitator settles nothing: the last payments of ${unsettled.size} payers failed: ${fault}`
        : null;
    },
    warning() {
      forget();
      const payers = unsettled.size;
      if (payers === 0 || isOutage()) return null;
      return `the facilitator fails for ${payers} ${payers === 1 ? 'payer' : 'payers'}, whose payments wait: ${fault}`;
    },
  };

  function isOutage(): boolean {
    const plain = [...unsettled.values()].filter(({ isExcused }) => !isExcused);
    return plain.length >= payersOfAnOutage;
  }

  function forget(): void {
    const now = clock.monotonicMs();
    for (const [payer, until] of probedUntil) if (until <= now) probedUntil.delete(payer);
    for (const [payer, until] of heldUntil) if (until <= now) heldUntil.delete(payer);
    const waiting = new Set([...open.values()].map(({ payer }) => payer));
    for (const [payer, { at }] of unsettled)
      if (!waiting.has(payer) && at + holdSeconds * 1_000 <= now) unsettled.delete(payer);
  }
}

function readPayer({ authorization }: PaymentRecord): Address {
  return authorization.from;
}
