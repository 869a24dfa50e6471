import type { Mined } from '../chain/chain-view.ts';
import { pinEndpoint, type Rpc, type RpcFault } from '../chain/rpc.ts';
import type { JournaledTransaction } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import { findMined, readNonceState } from './nonce.ts';

export type FollowLimits = {
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** Pause before a transaction that is not in a block is sent again. */
  readonly resendMs: number;
  /** Time until it is replaced by a transaction with higher fees. */
  readonly stuckMs: number;
};

export type FollowPorts = {
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly limits: FollowLimits;
  readonly closing: AbortSignal;
  /** Throws when another process has the relayer. */
  readonly stillHolds: () => Promise<unknown>;
  /** Called in each round that found no transaction in a block, before a send. False ends the loop. */
  readonly isWorthWaiting?: () => Promise<boolean>;
  /**
   * Called when the node does not respond, with the time since its last response. May throw to end the loop.
   */
  readonly onSilence?: (fault: RpcFault, silentMs: number) => void;
  /** True after the node rejected the newest transaction. It is sent again after each long pause. */
  readonly isRejected?: () => boolean;
  /** True if the node rejected it because its fee is too low. It is replaced at once. */
  readonly isFeeTooLow?: () => boolean;
  /** Called before a transaction is sent again or replaced. False ends the loop. */
  readonly mayResend: () => Promise<boolean>;
  /** Sends a transaction again. False ends the loop. */
  readonly send: (transaction: JournaledTransaction) => Promise<boolean>;
  /** Signs, journals and sends the same call at higher fees. Null where no higher fee is possible. */
  readonly replace: (newest: JournaledTransaction) => Promise<JournaledTransaction | null>;
};

/**
 * The end of a relayer nonce. `stopped`: the nonce is still open, after closing or a port that returned false.
 */
export type Followed =
  | { readonly kind: 'mined'; readonly mined: Mined }
  | { readonly kind: 'lost' | 'stopped' };

/**
 * Returns the pause after this one: a quarter longer. So a receipt is seen at most a quarter of its waiting time
 * late, and a block of two seconds costs about 25 polls (D-257).
 */
export function nextPauseMs(pauseMs: number, { pollMsMax }: Pick<FollowLimits, 'pollMsMax'>): number {
  return Math.min(pauseMs * 1.25, pollMsMax);
}

/** An open nonce. Its transactions are newest first, and the times are monotonic. */
type Following = {
  readonly kind: 'open';
  readonly transactions: readonly JournaledTransaction[];
  readonly sentAtMs: number;
  readonly signedAtMs: number;
  readonly answeredAtMs: number;
  readonly countedAtMs: number;
  readonly pauseMs: number;
  /** Since when each round found the nonce used, and none of its transactions in a block; else null. */
  readonly usedSinceMs: number | null;
};

/** Follows the transactions of one nonce until one is in a block, or the nonce is lost. */
export async function followNonce(
  transactions: readonly JournaledTransaction[],
  ports: FollowPorts,
): Promise<Followed> {
  const { clock, limits, closing } = ports;
  const now = clock.monotonicMs();
  const times = { sentAtMs: now, signedAtMs: now, answeredAtMs: now, countedAtMs: now };
  let state: Following = { kind: 'open', transactions, ...times, pauseMs: limits.pollMs, usedSinceMs: null };
  while (!closing.aborted) {
    const next = await step(state, ports);
    if (next.kind !== 'open') return next;
    await ports.stillHolds();
    await pause(next.pauseMs, closing);
    state = { ...next, pauseMs: nextPauseMs(next.pauseMs, limits) };
  }
  return { kind: 'stopped' };
}

/** One round: reads the chain, and sends or replaces transactions that are due. */
async function step(state: Following, ports: FollowPorts): Promise<Followed | Following> {
  const { rpc, clock, limits } = ports;
  const resendMs = ports.isRejected?.() ? Math.min(limits.resendMs, limits.pollMsMax) : limits.resendMs;
  const isResendDue = clock.monotonicMs() - state.sentAtMs >= resendMs;
  // One endpoint may never receive a transaction. The gateway asks another endpoint before it sends again.
  const mined = await findMined(isResendDue ? pinEndpoint(rpc, 1) : rpc, state.transactions);
  if (mined.ok && mined.value !== null) return { kind: 'mined', mined: mined.value };
  const now = clock.monotonicMs();
  if (!mined.ok) ports.onSilence?.(mined.fault, now - state.answeredAtMs);
  // A count is only needed if the receipt stays away.
  const isCountDue = state.usedSinceMs !== null || now - state.countedAtMs >= limits.pollMsMax / 2;
  const endpoint = pinEndpoint(rpc, state.usedSinceMs === null ? 0 : 1);
  const nonce = isCountDue ? await readNonceState(endpoint, state.transactions) : ({ kind: 'open' } as const);
  if (nonce.kind === 'mined') return nonce;
  // Two endpoints must agree, and a node may show a receipt later than the count. One wrong count must not drop
  // a transaction that is still on its way.
  const usedSinceMs = nonce.kind === 'used' ? (state.usedSinceMs ?? now) : null;
  if (usedSinceMs !== null && now - usedSinceMs >= limits.pollMsMax) return { kind: 'lost' };
  if (ports.isWorthWaiting && !(await ports.isWorthWaiting())) return { kind: 'stopped' };
  return resend(
    {
      ...state,
      answeredAtMs: mined.ok ? now : state.answeredAtMs,
      countedAtMs: isCountDue ? now : state.countedAtMs,
      pauseMs: usedSinceMs === now ? limits.pollMs : state.pauseMs,
      usedSinceMs,
    },
    isResendDue,
    ports,
  );
}

/** Replaces the newest transaction if it is stuck; else sends it again if that is due. */
async function resend(
  state: Following,
  isResendDue: boolean,
  ports: FollowPorts,
): Promise<Followed | Following> {
  const { clock, limits } = ports;
  const isStuck = clock.monotonicMs() - state.signedAtMs >= limits.stuckMs || ports.isFeeTooLow?.() === true;
  if (!isStuck && !isResendDue) return state;
  if (!(await ports.mayResend())) return { kind: 'stopped' };
  const next = isStuck ? await bump(state, ports) : state;
  const [newest] = next.transactions;
  if (!isResendDue || newest === undefined || next.transactions !== state.transactions) return next;
  if (!(await ports.send(newest))) return { kind: 'stopped' };
  return { ...next, sentAtMs: clock.monotonicMs() };
}

/** Replaces the newest transaction at higher fees. Without a higher fee the next try comes as late. */
async function bump(state: Following, ports: FollowPorts): Promise<Following> {
  const [newest] = state.transactions;
  const replacement = newest === undefined ? null : await ports.replace(newest);
  const signedAtMs = ports.clock.monotonicMs();
  if (replacement === null) return { ...state, signedAtMs };
  return { ...state, transactions: [replacement, ...state.transactions], sentAtMs: signedAtMs, signedAtMs };
}
