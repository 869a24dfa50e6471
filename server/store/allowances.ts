import type { UnixSeconds } from '../types/units.ts';

/** What a process wants of a rate limit that all processes on the store share (D-314). */
export type AllowanceRequest = {
  /** The name of the limit, such as `payer`. */
  readonly limit: string;
  /** Who is limited, such as the address of a payer. */
  readonly key: string;
  readonly requestsMax: number;
  readonly windowSeconds: number;
  /** How many requests the process wants to admit. */
  readonly wanted: number;
};

/** What the process may admit before it asks again. */
export type Allowance = {
  /** At most the wanted requests; 0 once the limit is reached. */
  readonly granted: number;
  /** How many requests of the window no process was granted yet. */
  readonly remaining: number;
  /** The end of the window, by the steady clock of this process. */
  readonly endsAt: UnixSeconds;
};

/** Rate limits in a store that several processes share. A store of one process has none. */
export interface AllowanceStore {
  /**
   * Grants requests of a window, never more than its limit to all processes together. A window begins with the first
   * request after the last one ended. Do not ask for one key twice at the same time. Rejects with `StoreUnavailable`.
   */
  takeAllowance(request: AllowanceRequest): Promise<Allowance>;
}
