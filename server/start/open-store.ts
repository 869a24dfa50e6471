import { realpathSync, rmSync } from 'node:fs';
import type { StoreSecrets } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Log } from '../observe/log.ts';
import { changeAll, correctionsMax } from '../store/bulk.ts';
import { type FileLock, LockRefused, lockFile } from '../store/file-lock.ts';
import { StoreRefused } from '../store/migration.ts';
import { openSqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { OpenStore, StoreChain } from '../store/store.ts';
import { damageRemedy, findPlaceRemedy, findStoreFileFault } from '../store/store-file.ts';
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { unixSeconds } from '../types/units.ts';
import { isRealStore, markRealStore } from './real-store.ts';
import { placeFault } from './start-fault.ts';
import { findStorePath } from './store-path.ts';

/** A store that this process may open. For an embedded store no other process has it. */
export type ClaimedStore = {
  /**
   * The fault is a sentence, also for a store of another chain or token (D-67). Without a chain the store is
   * only read: no chain is recorded in it, and no reservation is released.
   */
  open(chain: StoreChain | null, log: Log, clock: Clock): Promise<Result<OpenStore, readonly string[]>>;
  release(): void;
};

/**
 * Claims the store before other resources are opened: a shared PostgreSQL store, or a file for this process
 * alone (D-141).
 */
export async function claimStore(
  config: Config,
  shared: StoreSecrets | null,
): Promise<Result<ClaimedStore, readonly string[]>> {
  if (shared !== null) {
    const way = 'Check DATABASE_URL, and that its server is up.';
    return ok({
      open: (...ports) => attempt(openShared(config, shared, ...ports), 'the shared store', way),
      release: () => undefined,
    });
  }
  const isDevnet = config.chain === undefined;
  const path = findStorePath(config);
  const variable = isDevnet ? 'DEVNET_FOLDER' : 'DATABASE_FILE';
  try {
    // A devnet begins with a new file.
    const fault = isDevnet ? null : findStoreFileFault(path);
    if (fault !== null) return fail([fault]);
    const lock = await lockFile(path, config.databaseBusyTimeoutMs);
    if (lock !== null) {
      const way = isDevnet
        ? `Or set ${variable} to another place.`
        : `${findPlaceRemedy(path) ?? damageRemedy}, or set ${variable} to another place.`;
      return ok({
        open: (...ports) => attempt(openOwn(config, path, lock, ...ports), `the store ${path}`, way),
        release: lock.release,
      });
    }
    return fail([
      `Another gateway uses the store ${path}; its lock ${realpathSync(path)}.lock is held. Stop that gateway, or set ${variable} to another place.`,
    ]);
  } catch (cause) {
    return fail([cause instanceof LockRefused ? cause.message : placeFault(cause, path, variable)]);
  }
}

async function attempt(
  opening: Promise<OpenStore>,
  which: string,
  way: string,
): Promise<Result<OpenStore, readonly string[]>> {
  try {
    return ok(await opening);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    // Its sentence says what to do. A repair would not help, and a new store would lack the completions.
    const remedy = cause instanceof StoreRefused ? '' : ` ${way}`;
    return fail([`${which} cannot be opened: ${why}.${remedy}`]);
  }
}

/**
 * A devnet's store is deleted at each start, because its payments belong to a chain that no longer exists. The store
 * of a real chain never is (D-228).
 */
async function openOwn(
  config: Config,
  path: string,
  lock: FileLock,
  chain: StoreChain | null,
  log: Log,
  clock: Clock,
): Promise<OpenStore> {
  if (config.chain === undefined && chain !== null) {
    const file = realpathSync(path);
    if (isRealStore(file, config.databaseBusyTimeoutMs))
      throw new Error(
        'it has payments of a real chain, and a devnet begins with an empty store. Set CHAIN_RPC_URL to a node of that chain',
      );
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  }
  const store = await openSqliteStore({
    path,
    clock,
    ...(chain && { chain }),
    busyTimeoutMs: config.databaseBusyTimeoutMs,
    balanceAgeMaxSeconds: config.balanceAgeMaxSeconds,
    freeBytesMin: config.databaseFreeBytesMin,
    onFault: (fault) => log.warn({ fault }, 'the store reported a fault'),
  });
  if (chain === null) return store;
  if (config.chain !== undefined) markRealStore(realpathSync(path), config.databaseBusyTimeoutMs);
  const startedAt = clock.steadySeconds();
  const correct = () => store.correctTimes(startedAt, config.debtBlockSeconds);
  await changeAll(correct, undefined, correctionsMax);
  // No other process uses the file, so all older reservations are abandoned, whatever their leases.
  const released = await store.releaseAbandoned(unixSeconds(Number.MAX_SAFE_INTEGER));
  if (released > 0) log.info({ released }, 'released the reservations of the last run');
  return { ...store, healthIssue: async () => lock.issue() ?? (await store.healthIssue()) };
}

async function openShared(
  config: Config,
  { url, completionKey }: StoreSecrets,
  chain: StoreChain | null,
  log: Log,
  clock: Clock,
): Promise<OpenStore> {
  // Most gateways have their own file, and need no client of PostgreSQL (D-254).
  const { openPostgresStore } = await import('../store/postgres/postgres-store.ts');
  return openPostgresStore({
    url,
    completionKey,
    clock,
    ...(chain && { chain }),
    balanceAgeMaxSeconds: config.balanceAgeMaxSeconds,
    connectionsMax: config.storeConnectionsMax,
    onFault: (fault) => log.warn({ fault }, 'the store reported a fault'),
  });
}
