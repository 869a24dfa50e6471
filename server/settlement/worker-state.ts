import type { HeadTimeLimits } from '../chain/head-time.ts';
import type { SettlementObserver } from '../observe/observers.ts';
import type { FeeLimits } from '../relayer/fees.ts';
import type { FollowLimits } from '../relayer/follow.ts';
import type { GasBalance } from '../relayer/gas-balance.ts';
import type { Relayer } from '../relayer/nonce.ts';
import type { ClaimPayments } from './claim.ts';
import type { FollowedNonces, NonceLimits } from './followed-nonces.ts';
import type { ReconcilePorts } from './reconcile/reconcile.ts';
import type { TokenWatch } from './token-watch.ts';

export type BatchLimits = FollowLimits &
  NonceLimits & {
    /** Most payments in one transaction. */
    readonly batchMax: number;
    /** How long a relayer worker gathers payments after a transaction with more than one. */
    readonly gatherMs: number;
    /** How long a relayer worker without work waits before it reads the store again. */
    readonly idleMs: number;
    readonly leaseSeconds: number;
  };

export type RelayerWorkerPorts = Omit<ReconcilePorts, 'stillHolds'> & {
  readonly relayer: Relayer;
  /** The name of this process. */
  readonly owner: string;
  readonly fees: FeeLimits;
  readonly headTime: HeadTimeLimits;
  readonly limits: BatchLimits;
  readonly tokenWatch: TokenWatch;
  readonly observer?: SettlementObserver | null;
};

/** The state that a step passes to the next. */
export type State = {
  /** Number of payments in the last transaction. */
  lastBatch: number;
  /** Most payments in the next transaction. */
  batchMax: number;
  blockedReason: string | null;
  /** How far the chain's clock was behind ours when a payment was too early for the chain. */
  chainLagSeconds: number;
  /** Whether payments probably wait: one arrived, or the last transaction had several. */
  expectsPayments: boolean;
};

export type Ports = RelayerWorkerPorts &
  ReconcilePorts & {
    readonly gasBalance: GasBalance;
    readonly claim: ClaimPayments;
    readonly nonces: FollowedNonces;
    readonly state: State;
  };
