import type { Address, UnixSeconds } from '../types/units.ts';
import type { KeptProof } from './proof-store.ts';

/** The most reruns of one owed payment. After them the payment is a refund case (D-272). */
export const owedRunsMax = 5;
/** How long a settled payment without a completion stays owed: a week. */
export const owedKeepSeconds = 604_800;

/** Whether the gateway owes the completion of a payment. */
export type OwedState = {
  /** True from `owe` on, in every state, until the completion is written or the payment is given up. */
  readonly isOwed: boolean;
  /** How many runs began by `takeOwed`. */
  readonly owedRuns: number;
};

/** A charged payment whose completion was never made. Its payer needs a refund. */
export type DroppedOwed = { readonly id: number; readonly payer: Address; readonly amount: bigint };

/**
 * Completions that the gateway owes, because the settlement began while the model wrote (D-272). `Payment` is the
 * record of the store, which extends this interface.
 */
export interface OwedStore<Payment> {
  /**
   * reserved → executed without a completion. The lease stays. Throws `LeaseLost` once the lease ran out. A
   * caller who did not learn the outcome may repeat the call, until another run takes the payment.
   */
  owe(id: number): Promise<void>;
  /**
   * Writes the completion of an owed payment and its proof, in any state. The proof is due at once if the payment
   * is settled or final. Throws `LeaseLost` if another run took the payment, or if the payment was given up. A
   * caller who did not learn the outcome may repeat the call with the same completion; the first write stays.
   */
  completeOwed(
    id: number,
    leaseUntil: UnixSeconds,
    completion: string,
    proof: KeptProof | null,
  ): Promise<void>;
  /**
   * Takes an owed payment whose lease ended at `now`, for one more run. The lease of the returned payment is later
   * than `leaseUntil`, so that no two runs have the same one. Null while another run has a lease, while the chain
   * refuses the payment, after `owedRunsMax` reruns, and when nothing is owed any more. A caller who did not learn
   * the outcome waits for the end of the lease.
   */
  takeOwed(id: number, leaseUntil: UnixSeconds, now: UnixSeconds): Promise<Payment | null>;
  /**
   * Ends the lease of a run that ended without a completion, now or some seconds later: before that, no other run
   * begins. No effect for another lease.
   */
  endOwedRun(id: number, leaseUntil: UnixSeconds, restSeconds?: number): Promise<void>;
  /**
   * Gives up the owed payments that settled before a time and have no live lease. Drops the fingerprint of a
   * `private` request. Returns the payments.
   */
  dropOwedBefore(settledBefore: UnixSeconds): Promise<readonly DroppedOwed[]>;
  /** Sums the payments that are charged and owed. */
  owedTotals(): Promise<{ readonly payments: number; readonly amount: bigint }>;
}

/** The error of both drivers for a completion that a payment no longer takes. */
export function describeNotOwed(id: number): string {
  return `payment ${id} takes no completion from this run, because another run took it or nothing is owed any more`;
}
