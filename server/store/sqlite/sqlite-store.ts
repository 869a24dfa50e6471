import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../types/clock.ts';
import type { OpenStore, StoreChain } from '../store.ts';
import type { WorkerOptions } from './wire.ts';
import { openWorkerClient } from './worker-client.ts';

export type SqliteStoreOptions = {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  /** What the store must belong to; one that belongs to nothing yet is named after it. */
  readonly chain?: StoreChain;
  /** How long another process may hold the file before the store counts as unavailable. */
  readonly busyTimeoutMs: number;
  /** A reading of the balance older than this decides nothing. */
  readonly balanceAgeMaxSeconds: number;
  /** 32 bytes that seal the answers at rest; without it, a key is made and kept beside the database. */
  readonly answerKey?: Uint8Array;
  /** Fewer free bytes than this on the disk of the store are an issue: what was begun must still find room. */
  readonly freeBytesMin?: number;
  /** Operations that may wait for the store; one more is refused at once. */
  readonly waitingMax?: number;
  /** Operations that one transaction takes; 1 commits each alone. */
  readonly groupMax?: number;
  /**
   * How long the caller waits for one operation. After that the store is unavailable to this caller, and the operation
   * may still happen.
   */
  readonly operationTimeoutMs?: number;
  /** Told what is wrong with the store and hinders no operation. */
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
 * The embedded store. SQLite runs in a thread of its own and commits what waits together, so that the event loop never
 * waits for the disk; a thread that dies has a successor. Rejects with a sentence for the operator where the store cannot
 * be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<OpenStore> {
  // What is in memory dies with its thread; an empty store in its place would sell everything anew.
  const restarts = options.path !== ':memory:';
  const clientOptions = { ...sqliteDefaults, ...options, restarts };
  const { ask, hindrance, close } = await openWorkerClient(
    (again) => startWorker(options, again),
    clientOptions,
  );
  return {
    reserve: (...parameters) => ask('reserve', parameters),
    lookUp: (...parameters) => ask('lookUp', parameters),
    find: (...parameters) => ask('find', parameters),
    execute: (...parameters) => ask('execute', parameters),
    release: (...parameters) => ask('release', parameters),
    releaseAbandoned: (...parameters) => ask('releaseAbandoned', parameters),
    leaseRelayer: (...parameters) => ask('leaseRelayer', parameters),
    endLease: (...parameters) => ask('endLease', parameters),
    claimExecuted: (...parameters) => ask('claimExecuted', parameters),
    submit: (...parameters) => ask('submit', parameters),
    requeue: (...parameters) => ask('requeue', parameters),
    closeNonce: (...parameters) => ask('closeNonce', parameters),
    abandonNonce: (...parameters) => ask('abandonNonce', parameters),
    openNonces: (...parameters) => ask('openNonces', parameters),
    nextRelayerNonce: (...parameters) => ask('nextRelayerNonce', parameters),
    pruneJournal: (...parameters) => ask('pruneJournal', parameters),
    recordSent: (...parameters) => ask('recordSent', parameters),
    findSent: (...parameters) => ask('findSent', parameters),
    settle: (...parameters) => ask('settle', parameters),
    fail: (...parameters) => ask('fail', parameters),
    expire: (...parameters) => ask('expire', parameters),
    retry: (...parameters) => ask('retry', parameters),
    checkRefused: (...parameters) => ask('checkRefused', parameters),
    closeRefused: (...parameters) => ask('closeRefused', parameters),
    settledInclusions: (...parameters) => ask('settledInclusions', parameters),
    finalise: (...parameters) => ask('finalise', parameters),
    reopen: (...parameters) => ask('reopen', parameters),
    dropAnswer: (...parameters) => ask('dropAnswer', parameters),
    dropAnswersBefore: (...parameters) => ask('dropAnswersBefore', parameters),
    dropRefusedAnswersBefore: (...parameters) => ask('dropRefusedAnswersBefore', parameters),
    totals: (...parameters) => ask('totals', parameters),
    addSigner: (...parameters) => ask('addSigner', parameters),
    findSigner: (...parameters) => ask('findSigner', parameters),
    unregisteredSigners: (...parameters) => ask('unregisteredSigners', parameters),
    markRegistered: (...parameters) => ask('markRegistered', parameters),
    backlog: (...parameters) => ask('backlog', parameters),
    dueIndividual: (...parameters) => ask('dueIndividual', parameters),
    park: (...parameters) => ask('park', parameters),
    readParked: (...parameters) => ask('readParked', parameters),
    parked: (...parameters) => ask('parked', parameters),
    formBatch: (...parameters) => ask('formBatch', parameters),
    openBatches: (...parameters) => ask('openBatches', parameters),
    findBatch: (...parameters) => ask('findBatch', parameters),
    recordIndividual: (...parameters) => ask('recordIndividual', parameters),
    recordBatch: (...parameters) => ask('recordBatch', parameters),
    recordedInclusions: (...parameters) => ask('recordedInclusions', parameters),
    finaliseRecorded: (...parameters) => ask('finaliseRecorded', parameters),
    reopenRecorded: (...parameters) => ask('reopenRecorded', parameters),
    findProof: (...parameters) => ask('findProof', parameters),
    healthIssue: async () => hindrance() ?? ask('healthIssue', []).catch(sentenceOf),
    close,
  };
}

/** The thread that owns the database; `again` for one that comes after another, on a store that must be there. */
function startWorker(options: SqliteStoreOptions, again: boolean): Worker {
  const { path, busyTimeoutMs, balanceAgeMaxSeconds, answerKey = null, chain = null, clock } = options;
  const { groupMax, freeBytesMin } = { ...sqliteDefaults, ...options };
  const now = clock.steadySeconds();
  const common = { path, busyTimeoutMs, balanceAgeMaxSeconds, groupMax, freeBytesMin, answerKey, chain };
  const workerData: WorkerOptions = { ...common, now, again };
  // A source where the gateway runs from its sources, JavaScript where it was packed.
  const file = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url);
  // The flags of the program that embeds us, such as `--input-type`, are not for a file of ours.
  return new Worker(file, { workerData, execArgv: [] });
}

function sentenceOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : 'the store does not answer as it should';
}
