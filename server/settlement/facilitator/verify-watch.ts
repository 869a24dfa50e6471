import type { Clock } from '../../types/clock.ts';
import type { Address } from '../../types/units.ts';
import { payersOfAnOutage } from './failing-payers.ts';

export type VerifyWatchOptions = {
  readonly clock: Clock;
  /** How long an outcome of `/verify` is remembered. */
  readonly holdSeconds: number;
};

/** Remembers the last outcomes of `/verify`, because each sale needs a response to it (D-56). */
export interface VerifyWatch {
  /** Records a response of any kind, also a refusal. */
  responded(): void;
  /** Records that `/verify` gave no response. `what` is safe for a log. */
  failed(payer: Address, what: string): void;
  /** Returns whether the last `/verify` got a response, a short time ago. */
  hasWorked(): boolean;
  /** Returns a sentence for the operator while `/verify` fails for all payers, else null. */
  healthIssue(): string | null;
  /** Returns a sentence while `/verify` fails for some payers, else null. */
  warning(): string | null;
}

/** Creates a watch without outcomes. */
export function createVerifyWatch({ clock, holdSeconds }: VerifyWatchOptions): VerifyWatch {
  /** When `/verify` last failed for the newest of the payers since the last response. */
  const failedAt = new Map<Address, number>();
  let respondedAt = Number.NEGATIVE_INFINITY;
  let fault = '';
  return {
    responded() {
      respondedAt = clock.monotonicMs();
      failedAt.clear();
    },
    failed(payer, what) {
      failedAt.delete(payer);
      failedAt.set(payer, clock.monotonicMs());
      const [oldest] = failedAt.keys();
      if (failedAt.size > payersOfAnOutage && oldest !== undefined) failedAt.delete(oldest);
      fault = what;
    },
    hasWorked: () => failedAt.size === 0 && isRecent(respondedAt),
    healthIssue() {
      const payers = countFailing();
      return payers < payersOfAnOutage
        ? null
        : `the facilitator verifies nothing: the last payments of ${payers} payers failed: ${fault}`;
    },
    warning() {
      const payers = countFailing();
      if (payers === 0 || payers >= payersOfAnOutage) return null;
      return `the facilitator does not verify payments of ${payers} ${payers === 1 ? 'payer' : 'payers'}: ${fault}`;
    },
  };

  function countFailing(): number {
    return [...failedAt.values()].filter(isRecent).length;
  }

  function isRecent(at: number): boolean {
    return clock.monotonicMs() - at < holdSeconds * 1_000;
  }
}
