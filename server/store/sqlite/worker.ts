import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type CompletionCipher, createCompletionCipher, wrongCompletionKey } from '../completion-cipher.ts';
import { isSameChain, wrongChain } from '../migration.ts';
import { toStoreChain } from '../rows.ts';
import { type StoreChain, StoreUnavailable } from '../store.ts';
import { readCompletionKey } from './completion-key.ts';
import { openDatabase, prepareStatements, type Statements } from './database.ts';
import { createHealth, type Health } from './health.ts';
import { releaseLost } from './lost-key.ts';
import { migrate } from './migrations.ts';
import type { SyncStore } from './operations.ts';
import { createSyncStore } from './sync-store.ts';
import {
  type FromWorker,
  isDiskFault,
  pack,
  type ToWorker,
  type WorkerOptions,
  type WorkerRequest,
  type WorkerResponse,
} from './wire.ts';

/**
 * The worker thread that owns the database. While one commit waits for the disk, further requests arrive; the
 * next transaction takes them all. So a hundred operations cost one fsync, and none waits for a timer.
 */
const port = parentPort;
if (port === null) throw new Error('this file must run as a worker thread');
const options = workerData as WorkerOptions;
let stamp = options.now;
const waiting: WorkerRequest[] = [];
let closing = false;

const opened = open();
if (opened !== null) {
  port.on('message', (message: ToWorker) => {
    receive(message);
    serve(opened);
  });
  send({ kind: 'open' });
}

type Opened = {
  readonly database: DatabaseSync;
  /** Runs a statement that is prepared once: each operation has some of its own. */
  readonly run: Statements['run'];
  readonly store: SyncStore;
  readonly health: Health;
};

function open(): Opened | null {
  let database: DatabaseSync | null = null;
  try {
    const { path, link, busyTimeoutMs, balanceAgeMaxSeconds, again, chain, freeBytesMin } = options;
    if (again && !existsSync(path)) throw new Error('the store file is missing');
    database = openDatabase(path, busyTimeoutMs);
    migrate(database, options.now);
    const statements = prepareStatements(database);
    if (chain !== null) checkChain(statements, chain);
    const onFault = (fault: string) => send({ kind: 'fault', fault });
    const { cipher, keyPath } = openCipher(database, statements, onFault);
    const health = createHealth(database, { path, link, freeBytesMin, keyPath });
    const ports = { statements, cipher, health, stamp: () => stamp, balanceAgeMaxSeconds, onFault };
    return { database, run: statements.run, store: createSyncStore(ports), health };
  } catch (cause) {
    database?.close();
    send({ kind: 'not-opened', thrown: pack(cause) });
    port?.close();
    return null;
  }
}

/**
 * Reads the key of the completions, and compares it with the mark of the store. A store without a mark is new,
 * or its key was lost: it gets the mark of this key, and its unreadable completions are dropped (D-236).
 */
function openCipher(
  database: DatabaseSync,
  statements: Statements,
  onFault: (fault: string) => void,
): { readonly cipher: CompletionCipher; readonly keyPath: string | null } {
  const kept = statements.one('SELECT mark FROM completion_key');
  const mark = (kept?.['mark'] as Uint8Array | undefined) ?? null;
  const given = options.completionKey && { key: options.completionKey, path: null };
  const { key, path: keyPath } = given ?? readCompletionKey(options, mark);
  const cipher = createCompletionCipher(key);
  if (mark !== null && !cipher.knows(mark)) throw new Error(wrongCompletionKey);
  if (mark !== null) return { cipher, keyPath };
  database.exec('BEGIN IMMEDIATE');
  statements.run('INSERT INTO completion_key (mark) VALUES (?)', cipher.mark());
  const { ids, faults } = releaseLost(statements, cipher, options.now);
  // Without a chain the start fails, so the next start decides about the completions.
  const isKept = options.chain === null && ids.length > 0;
  database.exec(isKept ? 'ROLLBACK' : 'COMMIT');
  if (!isKept) faults.forEach(onFault);
  return { cipher, keyPath };
}

/** Writes the chain into a new store, or compares it with the chain of the store. Throws when they differ. */
function checkChain({ run, one }: Statements, { chainId, asset }: StoreChain): void {
  const row = one('SELECT chain_id, asset FROM store_chain');
  if (row === undefined) run('INSERT INTO store_chain (chain_id, asset) VALUES (?, ?)', chainId, asset);
  else {
    const kept = toStoreChain(row);
    if (!isSameChain(kept, { chainId, asset })) throw wrongChain(kept, { chainId, asset });
  }
}

/** Responds to all waiting requests, and to those that arrive meanwhile. */
function serve(opened: Opened): void {
  for (;;) {
    for (let next = take(); next !== undefined; next = take()) receive(next);
    const group = waiting.splice(0, options.groupMax);
    if (group.length === 0) break;
    send({ kind: 'responses', responses: commitTogether(opened, group) });
  }
  if (!closing) return;
  opened.database.close();
  port?.close();
}

function take(): ToWorker | undefined {
  return port === null ? undefined : (receiveMessageOnPort(port)?.message as ToWorker | undefined);
}

function receive(message: ToWorker): void {
  if (message.kind === 'close') closing = true;
  else waiting.push(...message.requests);
}

/**
 * Runs a group in one transaction and undoes only the operations that throw. Responds after all are on disk.
 */
function commitTogether(opened: Opened, group: readonly WorkerRequest[]): readonly WorkerResponse[] {
  const { database, run, health } = opened;
  try {
    health.look();
    run('BEGIN IMMEDIATE');
    const responses = group.map((request) => runOperation(opened, request));
    run('COMMIT');
    const lost = health.look();
    return responses.map(({ isStep, ...each }) => (lost !== null && isStep ? refuse(each.id, lost) : each));
  } catch (cause) {
    if (database.isTransaction) database.exec('ROLLBACK');
    // On a full disk, operations that only read still work when they run alone.
    if (group.length > 1 && isDiskFault(cause))
      return group.flatMap((each) => commitTogether(opened, [each]));
    const thrown = pack(cause);
    return group.map(({ id }) => ({ id, ok: false, thrown }));
  }
}

/**
 * Runs one operation. `isStep` marks a step towards a new charge, which counts only if the files were in place
 * before and after.
 */
function runOperation(
  { database, run, store, health }: Opened,
  { id, name, parameters, now }: WorkerRequest,
): WorkerResponse & { readonly isStep: boolean } {
  stamp = now;
  health.wasAsserted();
  run('SAVEPOINT operation');
  try {
    const value = (store[name] as (...parameters: readonly unknown[]) => unknown)(...parameters);
    run('RELEASE operation');
    return { id, ok: true, value, isStep: health.wasAsserted() };
  } catch (cause) {
    // On a full disk SQLite may have undone the whole transaction, with the writes of the other operations.
    if (!database.isTransaction) throw cause;
    database.exec('ROLLBACK TO operation; RELEASE operation');
    return { id, ok: false, thrown: pack(cause), isStep: false };
  }
}

function refuse(id: number, lost: string): WorkerResponse {
  return { id, ok: false, thrown: pack(new StoreUnavailable(lost)) };
}

function send(message: FromWorker): void {
  port?.postMessage(message);
}
