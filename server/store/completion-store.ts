import type { UnixSeconds } from '../types/units.ts';

/** The completions that the store keeps after their payments were settled or refused. */
export interface CompletionStore {
  /**
   * Drops a completion that its payer got, with its proof, and the fingerprint of a `private` request. No
   * effect on a payment that never settled or is owed, because its payer has no completion yet.
   */
  dropCompletion(id: number): Promise<void>;
  /** Drops the completions of at most `changesMax` payments that settled before a time. Returns their number. */
  dropCompletionsBefore(settledBefore: UnixSeconds): Promise<number>;
  /**
   * Drops the completions of at most `changesMax` payments that were refused before a time, but not of undecided ones
   * (D-234). The chain is still asked about these payments. Returns their number.
   */
  dropRefusedCompletionsBefore(refusedBefore: UnixSeconds): Promise<number>;
  /** Sums the bytes of these completions, at least `refusedBytesMin` for each (D-384). */
  refusedCompletionBytes(): Promise<number>;
  /** Drops the oldest of them until so many bytes are free, at most `changesMax`. Returns the freed bytes. */
  dropOldestRefusedCompletions(bytes: number): Promise<number>;
}
