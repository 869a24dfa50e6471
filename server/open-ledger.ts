import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerSecrets } from './config/load.ts';
import type { Config } from './config/schema.ts';
import type { Log } from './observe/log.ts';
import { claimFile } from './store/claim-file.ts';
import { openPostgresStore } from './store/postgres/postgres-store.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { LedgerChain, OpenStore } from './store/store.ts';
import type { Clock } from './vocabulary/clock.ts';
import { fail, ok, type Result } from './vocabulary/result.ts';
import { unixSeconds } from './vocabulary/units.ts';

/** A ledger that is ours to open: for the embedded one that means that no other process has it. */
export type ClaimedLedger = {
  /** Rejects with a sentence for a ledger of another chain or token (D-67). */
  open(chain: LedgerChain, log: Log, clock: Clock): Promise<OpenStore>;
  release(): void;
};

/** Claims the ledger before anything else is touched: PostgreSQL, which many gateways share, or a file of our own. */
export function claimLedger(
  config: Config,
  shared: LedgerSecrets | null,
): Result<ClaimedLedger, readonly string[]> {
  if (shared !== null)
    return ok({ open: (...ports) => openShared(config, shared, ...ports), release: () => undefined });
  const isDevnet = config.chain === undefined;
  const path = isDevnet ? join(config.devnetFolder, 'gateway.db') : config.databaseFile;
  const claim = claimFile(path);
  if ('release' in claim) {
    return ok({ open: (...ports) => openOwn(config, path, ...ports), release: claim.release });
  }
  const variable = isDevnet ? 'DEVNET_FOLDER' : 'DATABASE_FILE';
  return fail([
    `${path}: process ${claim.usedBy} uses this ledger; stop it, or set ${variable} to another place`,
  ]);
}

/** A devnet's ledger ends with its chain: payments of a chain that is gone are nothing to take up. */
async function openOwn(
  config: Config,
  path: string,
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
    onFault: (fault) => log.warn({ fault }, 'the ledger complains'),
  });
  // This process alone uses it, so whoever reserved before is gone, whatever the lease says.
  const released = await store.releaseAbandoned(unixSeconds(Number.MAX_SAFE_INTEGER));
  if (released > 0) log.info({ released }, 'gave back what the last run had reserved');
  return store;
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
