import type { UnixSeconds } from '../types/units.ts';

/** A purchase by one payer. A new authorization for it joins the payment that was made for it before (D-258). */
export type Purchase = {
  /** Hash of token, payer, and the key that the client gave, or the request. */
  readonly hash: string;
  /** True when the client says that it repeats a request. Then the payment may be delivered already. */
  readonly isRetry: boolean;
};

/** The longest time that a join is kept after its completion was dropped. */
export const joinKeepSeconds = 86_400;

/** The deliveries of purchases, and the authorizations that joined a payment. */
export interface PurchaseStore {
  /** Records that responses with the completions of these payments were sent. */
  recordDeliveries(ids: readonly number[]): Promise<void>;
  /**
   * Deletes at most `max` joins whose completions were dropped, and whose authorizations cannot pay any more.
   * Returns their number.
   */
  pruneJoins(now: UnixSeconds, max: number): Promise<number>;
}
