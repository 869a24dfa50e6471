import type { PaymentRecord } from '../../store/store.ts';
import type { Clock } from '../../types/clock.ts';
import type { Address } from '../../types/units.ts';

export type FailingPayersOptions = {
  readonly clock: Clock;
  /** How long a failure is remembered that no open payment stands for. */
  readonly holdSeconds: number;
};

/** For whom the facilitator fails, and whether it does for everybody (D-165). Known to the process that settles. */
export interface FailingPayers {
  /**
   * It was asked, settled nothing, and the chain would take the payment. `what` is fit for a log. The code of an account
   * can make a transfer fail that a simulation passes, so `hasCode` says nothing against the facilitator.
   */
  failed(payment: PaymentRecord, what: string, hasCode: boolean): void;
  settled(payment: PaymentRecord): void;
  /** Given up, because the facilitator refuses it. */
  gaveUp(payment: PaymentRecord): void;
  /** It is not carried any more, whatever became of it. */
  ended(payment: PaymentRecord): void;
  /** Whether a payment of another payer was settled since this one failed first: then the facilitator is well. */
  othersWereSettled(payment: PaymentRecord): boolean;
  /** Whether work may be done for a new payment of this payer. */
  admits(payer: Address): boolean;
  /** The facilitator fails for everybody; a sentence for the operator, or null. */
  healthIssue(): string | null;
  /** The same where it fails for some. */
  warning(): string | null;
}

/** So many payers without code, and no settlement in between, are the facilitator's fault. Fewer may be theirs. */
const payersOfAnOutage = 3;
/** Failures of one payment before its payer buys nothing new. One may be chance. */
const failuresMax = 2;
/** While it fails for everybody, one new payment in so long finds out whether it still does. */
const probeMs = 5_000;

type Failing = { readonly payer: Address; readonly since: number; count: number };
type Settlement = { readonly payer: Address; readonly at: number };

export function createFailingPayers({ clock, holdSeconds }: FailingPayersOptions): FailingPayers {
  const open = new Map<number, Failing>();
  /** The last failure of each payer since a payment was settled. */
  const unsettled = new Map<Address, { readonly at: number; readonly hasCode: boolean }>();
  const heldUntil = new Map<Address, number>();
  /** The last one, and the last one of another payer than that. */
  let lastSettled: readonly Settlement[] = [];
  /** Counts what happened: two things in one millisecond have an order. */
  let moment = 0;
  let fault = '';
  let probeFrom = 0;
  /** Until when a payer has no further probe. It may have left before its payment reached the facilitator. */
  const probedUntil = new Map<Address, number>();

  return {
    failed(payment, what, hasCode) {
      const payer = payerOf(payment);
      const failing = open.get(payment.id) ?? { payer, since: ++moment, count: 0 };
      failing.count += 1;
      open.set(payment.id, failing);
      unsettled.set(payer, { at: clock.monotonicMs(), hasCode });
      fault = what;
    },
    settled(payment) {
      const payer = payerOf(payment);
      lastSettled = [
        { payer, at: ++moment },
        ...lastSettled.filter((each) => each.payer !== payer).slice(0, 1),
      ];
      open.delete(payment.id);
      unsettled.clear();
      probedUntil.clear();
      heldUntil.delete(payer);
    },
    gaveUp: (payment) => void heldUntil.set(payerOf(payment), clock.monotonicMs() + holdSeconds * 1_000),
    ended: ({ id }) => void open.delete(id),
    othersWereSettled(payment) {
      const since = open.get(payment.id)?.since ?? moment;
      return lastSettled.some(({ payer, at }) => payer !== payerOf(payment) && at > since);
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
        ? `the facilitator settles nothing: the last payments, of ${unsettled.size} payers, failed: ${fault}`
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
    const plain = [...unsettled.values()].filter(({ hasCode }) => !hasCode);
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

function payerOf({ authorization }: PaymentRecord): Address {
  return authorization.from;
}
