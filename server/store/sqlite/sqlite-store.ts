import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../types/clock.ts';
import type { UnixSeconds } from '../../types/units.ts';
import type { StoreChain } from '../store.ts';
import { resolveStoreFile } from '../store-file.ts';
import type { Operation, SqliteStore } from './operations.ts';
import type { StorePlace } from './store-place.ts';
import type { WorkerOptions } from './wire.ts';
import { openWorkerClient, type WorkerClient } from './worker-client.ts';

export type SqliteStoreOptions = {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  /** The chain and token of the store; the first opening writes them into a new store. */
  readonly chain?: StoreChain;
  /** How long another process may hold the file before the store counts as unavailable. */
  readonly busyTimeoutMs: number;
  /** An older reading of a balance decides nothing. */
  readonly balanceAgeMaxSeconds: number;
  /**
   * 32 bytes that encrypt the completions at rest. Without them, the store makes a key file beside the
   * database.
   */
  readonly completionKey?: Uint8Array;
  /**
   * The free bytes below which the disk of the store is a health issue: begun payments must still find room.
   */
  readonly freeBytesMin?: number;
  /** How many operations may wait for the store; the store rejects one more at once. */
  readonly waitingMax?: number;
  /** The most operations in one transaction; 1 commits each alone. */
  readonly groupMax?: number;
  /**
   * How long the caller waits for one operation. After that the store is unavailable to this caller, and the
   * operation may still happen.
   */
  readonly operationTimeoutMs?: number;
  /** Gets faults of the store that stop no operation. */
  readonly onFault?: (fault: string) => void;
};

const sqliteDefaults = {
  waitingMax: 4_096,
  groupMax: 512,
  freeBytesMin: 0,
  operationTimeoutMs: 5_000,
  onFault: () => undefined,
} as const;

/**
 * Opens the embedded store. SQLite runs in its own thread and commits waiting operations together, so that the
 * event loop never waits for the disk. A thread that dies is replaced. Rejects with a sentence for the operator
 * when the store cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  // A store in memory dies with its thread. An empty store in its place would sell the same payments again.
  const restarts = options.path !== ':memory:';
  const clientOptions = { ...sqliteDefaults, ...options, restarts };
  const place = { link: options.path, path: restarts ? resolveStoreFile(options.path) : options.path };
  const { ask, hindrance, close } = await openWorkerClient(
    (again) => startWorker(options, place, again),
    clientOptions,
  );
  let startedAt: UnixSeconds | null = null;
  return {
    ...forward(ask, forwarded),
    correctTimes(now, debtBlockSeconds) {
      startedAt = now;
      return ask('correctTimes', [now, debtBlockSeconds]);
    },
    // An earlier run may have settled a completion by a slow clock, so its age counts from the start (D-208).
    dropCompletionsBefore: async (settledBefore) =>
      startedAt !== null && settledBefore <= startedAt ? 0 : ask('dropCompletionsBefore', [settledBefore]),
    dropOwedBefore: async (settledBefore) =>
      startedAt !== null && settledBefore <= startedAt ? [] : ask('dropOwedBefore', [settledBefore]),
    healthIssue: async () => hindrance() ?? ask('healthIssue', []).catch(describeCause),
    close,
  };
}

/** The operations that need nothing but the worker: of payments, proofs, purchases and owed completions. */
const forwarded = [
  'reserve',
  'lookUp',
  'find',
  'readOutcomes',
  'execute',
  'release',
  'releaseAbandoned',
  'pruneReleased',
  'leaseRelayer',
  'endLease',
  'claimExecuted',
  'submit',
  'requeue',
  'closeNonce',
  'abandonNonce',
  'openNonces',
  'submittedRelayers',
  'nextRelayerNonce',
  'pruneJournal',
  'recordHandover',
  'recordSent',
  'findSent',
  'settle',
  'fail',
  'expire',
  'retry',
  'checkRefused',
  'closeRefused',
  'recentInclusions',
  'inclusionsUpTo',
  'finalise',
  'reopen',
  'dropCompletion',
  'dropRefusedCompletionsBefore',
  'refusedCompletionBytes',
  'dropOldestRefusedCompletions',
  'totals',
  'openTotals',
  'unsettled',
  'settlementQueue',
  'addSigner',
  'findSigner',
  'unregisteredSigners',
  'markRegistered',
  'backlog',
  'dueIndividual',
  'park',
  'readParked',
  'parked',
  'waitingElsewhere',
  'formBatch',
  'openBatches',
  'findBatch',
  'recordIndividual',
  'recordBatch',
  'recordedInclusions',
  'finaliseRecorded',
  'reopenRecorded',
  'findProof',
  'recordDeliveries',
  'pruneJoins',
  'owe',
  'completeOwed',
  'takeOwed',
  'endOwedRun',
  'owedTotals',
] as const;

/** Sends operations to the worker unchanged. */
function forward<Name extends Operation>(
  ask: WorkerClient['ask'],
  names: readonly Name[],
): Pick<SqliteStore, Name> {
  const calls = names.map((name) => [
    name,
    (...parameters: Parameters<SqliteStore[Name]>) => ask(name, parameters),
  ]);
  return Object.fromEntries(calls) as Pick<SqliteStore, Name>;
}

/** Rows live for a moment. By default V8 keeps up to 64 MB of dead ones before it collects them. */
const youngMegabytesMax = 12;

/** Starts the thread that owns the database. `again` is true for a replacement: the store must exist then. */
function startWorker(options: SqliteStoreOptions, place: StorePlace, again: boolean): Worker {
  const { busyTimeoutMs, balanceAgeMaxSeconds, completionKey = null, chain = null, clock } = options;
  const { groupMax, freeBytesMin } = { ...sqliteDefaults, ...options };
  const now = clock.steadySeconds();
  const common = {
    ...place,
    busyTimeoutMs,
    balanceAgeMaxSeconds,
    groupMax,
    freeBytesMin,
    completionKey,
    chain,
  };
  const workerData: WorkerOptions = { ...common, now, again };
  // TypeScript when the gateway runs from its sources, JavaScript when it runs from a package.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  // Flags of the embedding program, such as `--input-type`, do not fit this file.
  const resourceLimits = { maxYoungGenerationSizeMb: youngMegabytesMax };
  return new Worker(file, { workerData, execArgv: [], resourceLimits });
}

function describeCause(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the store returned an unexpected error';
}
