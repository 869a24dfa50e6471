import type { Mined } from '../chain/chain-view.ts';
import { pinEndpoint, type Rpc, type RpcFault } from '../chain/rpc.ts';
import type { JournaledTransaction } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import { findMined, isNonceLost } from './nonce.ts';

export type FollowLimits = {
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** A transaction that is not mined is sent again this often, */
  readonly resendMs: number;
  /** and replaced by one with higher fees after so long. */
  readonly stuckMs: number;
};

export type FollowPorts = {
  readonly rpc: Rpc;
  readonly clock: Clock;
  readonly limits: FollowLimits;
  readonly closing: AbortSignal;
  /** Throws when another process holds the relayer by now. */
  readonly stillHolds: () => Promise<unknown>;
  /** Asked in each round that found no transaction in a block, before anything is sent; false ends the following. */
  readonly isWorthWaiting?: () => Promise<boolean>;
  /** Called when the node does not answer, with the time since its last answer. May throw to end the following. */
  readonly onSilence?: (fault: RpcFault, silentMs: number) => void;
  /** Asked before a transaction is sent again; false ends the following. */
  readonly mayResend: () => Promise<boolean>;
  /** Sends a transaction again; false ends the following. */
  readonly send: (transaction: JournaledTransaction) => Promise<boolean>;
  /** Signs, journals and sends the same call at higher fees; null where no higher fee is possible. */
  readonly replace: (newest: JournaledTransaction) => Promise<JournaledTransaction | null>;
};

/** What became of a relayer nonce. `stopped` where it is open still: closing, or one of the ports said no. */
export type Followed =
  | { readonly kind: 'mined'; readonly mined: Mined }
  | { readonly kind: 'lost' | 'stopped' };

/** A nonce under way. Its transactions are newest first, and the times are of the monotonic clock. */
type Following = {
  readonly kind: 'open';
  readonly transactions: readonly JournaledTransaction[];
  readonly sentAtMs: number;
  readonly signedAtMs: number;
  readonly answeredAtMs: number;
  readonly pauseMs: number;
  /** The last round saw the nonce used up, and none of its transactions in a block. */
  readonly wasLost: boolean;
};

/** Follows transactions that were sent under one nonce until one of them is in a block, or the nonce is lost. */
export async function followNonce(
  transactions: readonly JournaledTransaction[],
  ports: FollowPorts,
): Promise<Followed> {
  const { clock, limits, closing } = ports;
  const now = clock.monotonicMs();
  const times = { sentAtMs: now, signedAtMs: now, answeredAtMs: now };
  let state: Following = { kind: 'open', transactions, ...times, pauseMs: limits.pollMs, wasLost: false };
  while (!closing.aborted) {
    const next = await step(state, ports);
    if (next.kind !== 'open') return next;
    await ports.stillHolds();
    await pause(next.pauseMs, closing);
    state = { ...next, pauseMs: Math.min(next.pauseMs * 2, limits.pollMsMax) };
  }
  return { kind: 'stopped' };
}

/** One round: asks the chain, and sends or replaces what is due. */
async function step(state: Following, ports: FollowPorts): Promise<Followed | Following> {
  const { rpc, clock, limits } = ports;
  const isResendDue = clock.monotonicMs() - state.sentAtMs >= limits.resendMs;
  // One endpoint may never hear of a transaction: another one is asked before it is sent again.
  const mined = await findMined(isResendDue ? pinEndpoint(rpc, 1) : rpc, state.transactions);
  if (mined.ok && mined.value !== null) return { kind: 'mined', mined: mined.value };
  const now = clock.monotonicMs();
  if (!mined.ok) ports.onSilence?.(mined.fault, now - state.answeredAtMs);
  const isLost = await isNonceLost(pinEndpoint(rpc, state.wasLost ? 1 : 0), state.transactions);
  // Two endpoints must say it: one wrong count must not make a transaction forgotten that is still on its way.
  if (isLost && state.wasLost) return { kind: 'lost' };
  if (ports.isWorthWaiting && !(await ports.isWorthWaiting())) return { kind: 'stopped' };
  let next: Following = {
    ...state,
    answeredAtMs: mined.ok ? now : state.answeredAtMs,
    pauseMs: isLost ? limits.pollMsMax : state.pauseMs,
    wasLost: isLost,
  };
  if (isResendDue) {
    if (!(await ports.mayResend())) return { kind: 'stopped' };
    const [newest] = next.transactions;
    if (newest !== undefined && !(await ports.send(newest))) return { kind: 'stopped' };
    next = { ...next, sentAtMs: clock.monotonicMs() };
  }
  return clock.monotonicMs() - next.signedAtMs >= limits.stuckMs ? bump(next, ports) : next;
}

async function bump(state: Following, ports: FollowPorts): Promise<Following> {
  const [newest] = state.transactions;
  const replacement = newest === undefined ? null : await ports.replace(newest);
  const transactions = replacement === null ? state.transactions : [replacement, ...state.transactions];
  const now = ports.clock.monotonicMs();
  return { ...state, transactions, sentAtMs: now, signedAtMs: now };
}
