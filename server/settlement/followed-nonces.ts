import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';

/** A relayer nonce whose transaction was sent, and that the worker follows in the background. */
export type FollowedNonce = {
  readonly relayerNonce: number;
  /** The wei that its transaction costs at most. */
  readonly weiMax: bigint;
  /** True when the store had the nonce before: from an earlier process, or after a reorganisation. */
  readonly isRecovered: boolean;
  /** Monotonic time of the first send. */
  readonly sentAtMs: number;
  /** False from the conclusion of its payments on; the store may still close the nonce. */
  isOpen: boolean;
  /** The node rejected its transaction for lack of ether. */
  lacksEther: boolean;
  /** The chain waits for a lower nonce that no transaction will use. The follower drops the nonce. */
  isAboveGap: boolean;
  /** The node rejected its transaction, so it is sent again soon. */
  isRejected: boolean;
  /** The node's reason, for the operator. Null again after a lower nonce has ended. */
  rejection: string | null;
  /** The transaction is not mined although its fees went up (D-194). */
  stuckReason: string | null;
};

export type NonceLimits = {
  /** Most nonces of a relayer that are open at the same time. */
  readonly noncesMax: number;
  /** How long payments gather while a transaction is open, before the next nonce carries them. */
  readonly nextNonceMs: number;
  readonly pollMsMax: number;
};

/** The nonces of one relayer that a worker follows at the same time (D-237). */
export interface FollowedNonces {
  /** Follows a nonce until `run` ends. `run` must stop when its signal aborts. */
  follow(nonce: FollowedNonce, run: (closing: AbortSignal) => Promise<void>): void;
  /** Lists the open nonces, lowest first. */
  open(): readonly FollowedNonce[];
  /** Lists all nonces that are followed, also those that the store closes now. */
  numbers(): readonly number[];
  /**
   * Waits until the worker may use another nonce, or until the longest pause between two polls ends. Returns
   * whether the worker may use another nonce. After a full transaction, payments need not gather (D-394).
   */
  nextIsFree(wasFull: boolean): Promise<boolean>;
  /** Waits until the payments of an open nonce are concluded, `ms` at most. */
  change(ms: number): Promise<void>;
  /** Marks all open nonces above this one, because the chain waits for a lower one. */
  markGap(relayerNonce: number): void;
  /** Notes that a nonce is dropped. A transaction that was prepared before must not be sent. */
  noteDrop(): void;
  /** Returns how many nonces were dropped. */
  drops(): number;
  /** Marks the payments of a nonce as concluded. */
  conclude(nonce: FollowedNonce): void;
  /** Throws the error with which a nonce ended, after all others have stopped. */
  check(): Promise<void>;
  /** Stops to follow all nonces. The store keeps them. */
  stop(): Promise<void>;
}

export function createFollowedNonces(
  limits: NonceLimits,
  clock: Clock,
  closing: AbortSignal,
): FollowedNonces {
  const followed = new Map<FollowedNonce, Promise<void>>();
  let stopping = new AbortController();
  let changed = new AbortController();
  let fault: { readonly cause: unknown } | null = null;
  let dropped = 0;
  return {
    follow(nonce, run) {
      const ended = run(AbortSignal.any([closing, stopping.signal]))
        .catch((cause: unknown) => {
          fault ??= { cause };
        })
        .finally(() => {
          followed.delete(nonce);
          notify();
        });
      followed.set(nonce, ended);
    },
    open,
    numbers: () => [...followed.keys()].map(({ relayerNonce }) => relayerNonce),
    async nextIsFree(wasFull) {
      const gatherMs = wasFull ? 0 : limits.nextNonceMs;
      await change(msToNext(gatherMs));
      return msToNext(gatherMs) === 0;
    },
    change,
    markGap(relayerNonce) {
      for (const nonce of open()) if (nonce.relayerNonce > relayerNonce) nonce.isAboveGap = true;
    },
    noteDrop() {
      dropped += 1;
    },
    drops: () => dropped,
    conclude(nonce) {
      nonce.isOpen = false;
      for (const other of open()) other.rejection = null;
      notify();
    },
    async check() {
      if (fault === null) return;
      const { cause } = fault;
      await stop();
      throw cause;
    },
    stop,
  };

  function open(): readonly FollowedNonce[] {
    const nonces = [...followed.keys()].filter(({ isOpen }) => isOpen);
    return nonces.sort((one, other) => one.relayerNonce - other.relayerNonce);
  }

  /** Zero when the next nonce is free. A nonce in doubt keeps the worker from using another one. */
  function msToNext(gatherMs: number): number {
    const nonces = open();
    const last = Math.max(...nonces.map(({ sentAtMs }) => sentAtMs));
    if (nonces.some(isInDoubt) || nonces.length >= limits.noncesMax) return limits.pollMsMax;
    return Math.max(0, last + gatherMs - clock.monotonicMs());
  }

  async function change(ms: number): Promise<void> {
    if (ms <= 0 || fault !== null) return;
    await pause(ms, AbortSignal.any([closing, changed.signal]));
  }

  function notify(): void {
    // Without a reason the signal would make an exception with a stack trace.
    changed.abort(null);
    changed = new AbortController();
  }

  async function stop(): Promise<void> {
    stopping.abort(null);
    await Promise.all(followed.values());
    stopping = new AbortController();
    fault = null;
  }
}

/** Whether a new nonce beside this one could wait for long, or lack ether. */
function isInDoubt(nonce: FollowedNonce): boolean {
  const { isRecovered, lacksEther, isAboveGap, isRejected, stuckReason } = nonce;
  return isRecovered || lacksEther || isAboveGap || isRejected || stuckReason !== null;
}
