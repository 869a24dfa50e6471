import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerSecrets } from './config/load.ts';
import type { Config } from './config/schema.ts';
import type { Log } from './observe/log.ts';
import { type FileLock, lockFile } from './store/file-lock.ts';
import { openPostgresStore } from './store/postgres/postgres-store.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import { type LedgerChain, type OpenStore, StoreUnavailable } from './store/store.ts';
import type { Clock } from './vocabulary/clock.ts';
import { fail, ok, type Result } from './vocabulary/result.ts';
import { unixSeconds } from './vocabulary/units.ts';

/** A ledger that is ours to open: for the embedded one that means that no other process has it. */
export type ClaimedLedger = {
  /** Rejects with a sentence for a ledger of another chain or token (D-67). */
  open(chain: LedgerChain, log: Log, clock: Clock): Promise<OpenStore>;
  release(): void;
};

/** Claims the ledger before anything else is touched: PostgreSQL, which many gateways share, or a file of our own (D-141). */
export async function claimLedger(
  config: Config,
  shared: LedgerSecrets | null,
): Promise<Result<ClaimedLedger, readonly string[]>> {
  if (shared !== null)
    return ok({ open: (...ports) => openShared(config, shared, ...ports), release: () => undefined });
  const isDevnet = config.chain === undefined;
  const path = isDevnet ? join(config.devnetFolder, 'gateway.db') : config.databaseFile;
  const lock = await lockFile(path, config.databaseBusyTimeoutMs);
  if (lock !== null)
    return ok({ open: (...ports) => openOwn(config, path, lock, ...ports), release: lock.release });
  const variable = isDevnet ? 'DEVNET_FOLDER' : 'DATABASE_FILE';
  return fail([
    `Another gateway uses the store ${path}; its lock ${path}.lock is held. Stop that gateway, or set ${variable} to another place.`,
  ]);
}

/** A devnet's ledger ends with its chain: payments of a chain that is gone are nothing to take up. */
async function openOwn(
  config: Config,
  path: string,
  lock: FileLock,
  chain: LedgerChain,
  log: Log,
  clock: Clock,
): Promise<OpenStore> {
  if (config.chain === undefined)
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  const store = await openSqliteStore({
    path,
    clock,
    chain,
    busyTimeoutMs: config.databaseBusyTimeoutMs,
    balanceAgeMaxSeconds: config.balanceAgeMaxSeconds,
    freeBytesMin: config.databaseFreeBytesMin,
    onFault: (fault) => log.warn({ fault }, 'the ledger complains'),
  }).catch((cause: unknown) => {
    throw cause instanceof StoreUnavailable ? new Error(`${path}: ${cause.message}`, { cause }) : cause;
  });
  // This process alone uses it, so whoever reserved before is gone, whatever the lease says.
  const released = await store.releaseAbandoned(unixSeconds(Number.MAX_SAFE_INTEGER));
  if (released > 0) log.info({ released }, 'gave back what the last run had reserved');
  return { ...store, trouble: async () => lock.issue() ?? (await store.trouble()) };
}

function openShared(
  config: Config,
  { url, answerKey }: LedgerSecrets,
  chain: LedgerChain,
  log: Log,
  clock: Clock,
): Promise<OpenStore> {
  return openPostgresStore({
    url,
    answerKey,
    clock,
    chain,
    balanceAgeMaxSeconds: config.balanceAgeMaxSeconds,
    connectionsMax: config.ledgerConnectionsMax,
    onFault: (fault) => log.warn({ fault }, 'the ledger complains'),
  });
}
