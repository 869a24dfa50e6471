import type { SettlementType } from '@paid-inference/contract/types';
import type { CheckTransfer } from '../chain/check-transfer.ts';
import type { CheckWallet } from '../chain/wallet-signature.ts';
import type { OperationId } from '../http/contract.ts';
import type { RefusalLimit } from '../http/rate-limit.ts';
import type { Engine, Inference, InferenceTask } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { ReadPayer } from '../payment/balance.ts';
import type { CodelessAccounts } from '../payment/codeless-accounts.ts';
import type { PaymentHeaders } from '../payment/decode.ts';
import type { AuthorizationDigest, SignatureRecovery } from '../payment/signature.ts';
import type { CanonicalHash } from '../proof/canonical-hash.ts';
import type { Prover } from '../proof/prover.ts';
import type { Settler } from '../settlement/settler.ts';
import type { OpenStore } from '../store/store.ts';
import type { Authorization } from '../types/authorization.ts';
import type { CallTurns } from '../types/call-turns.ts';
import type { Clock } from '../types/clock.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import type { YieldingWaits } from '../types/yielding-waits.ts';
import type { StreamIdentity } from './chunk-writer.ts';
import type { Deliveries } from './deliveries.ts';
import type { Fingerprints } from './fingerprint.ts';
import type { InFlight } from './in-flight.ts';
import type { InferenceSlots } from './inference-slots.ts';
import type { WorkResult } from './outcome.ts';
import type { Quote } from './quote.ts';

/** The dependencies and limits of a paid request. */
export type PaidPorts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: OpenStore;
  readonly settler: Settler;
  readonly readPayer: ReadPayer;
  readonly checkTransfer: CheckTransfer;
  readonly digestOf: AuthorizationDigest;
  readonly recovery: SignatureRecovery;
  /** Null where contract wallets may not pay (D-293). */
  readonly checkWallet: CheckWallet | null;
  readonly codeless: CodelessAccounts;
  /** The turns of the clients' sites (D-224) to ask wallets. */
  readonly walletTurns: CallTurns;
  readonly canonicalHash: CanonicalHash;
  readonly prover: Pick<Prover, 'prove'>;
  /**
   * The reason, for the operator, why the gateway cannot record, serve or settle a payment of this payer for this
   * model now. Null for no reason (D-90, D-143, D-342).
   */
  readonly saleIssue: (model: string, payer: Address) => Promise<string | null>;
  readonly inFlight: InFlight<WorkResult>;
  readonly slots: InferenceSlots;
  /** The requests that wait to reserve their payments while earlier ones of their payers settle (D-65). */
  readonly unsettledWaits: YieldingWaits;
  /** Aborted when the gateway stops and waits for its runs no longer. */
  readonly stopped: AbortSignal;
  readonly deliveries: Deliveries;
  /**
   * Counts one request against the payer's rate limit. Returns the wait when the limit is reached, else null.
   */
  readonly admitPayer: (payer: Address) => Promise<{ readonly retryAfterSeconds: number } | null>;
  readonly refusals: RefusalLimit;
  readonly limits: {
    readonly paymentHeaderBytesMax: number;
    readonly inferenceTimeoutMs: number;
    readonly settlementMarginSeconds: number;
    readonly settlementWaitMs: number;
    readonly unsettledWaitMs: number;
    readonly concurrentInferencesMax: number;
    readonly rpcTimeoutMs: number;
    readonly privateCompletionKeepSeconds: number;
  };
};

/** The headers by which a client says that requests belong together. */
type RetryHeaders = {
  readonly idempotencyKey: string | undefined;
  readonly retryCount: string | undefined;
};

/** A valid request with its price, before any payment. */
export type PricedRequest = Fingerprints & {
  readonly operationId: OperationId;
  readonly task: InferenceTask;
  readonly quote: Quote;
  readonly engine: Engine;
  readonly settlementType: SettlementType;
  /** Fields that the engine does not honour (D-264). */
  readonly ignoredFields: readonly string[];
  /** The hash of the body as received (D-29). */
  readonly inputHash: Bytes32;
  readonly payment: PaymentHeaders;
  readonly retry: RetryHeaders;
  readonly isStreamed: boolean;
  /** The site of its client (D-224). */
  readonly site: string;
  /** Makes the identity of a new completion. */
  readonly identify: () => StreamIdentity;
  /** Makes the response body from an inference. */
  readonly compose: (inference: Inference, identity: StreamIdentity) => object;
};

/** The key of `InFlight` for an authorization. */
export function formatKey({ from, nonce }: Authorization): string {
  return `${from}:${nonce}`;
}
