import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import type { Config } from '../config/schema.ts';
import { placeFault, readErrorCode } from '../start/start-fault.ts';
import { findStorePath } from '../start/store-path.ts';
import { damageRemedy, findPlaceRemedy } from '../store/store-file.ts';
import type { StoreInspection } from '../store/store-inspection.ts';
import type { Deployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Inspects the store beside the gateways that use it. Only a write that is undone reaches the store. */
export async function checkStore(deployment: Deployment): Promise<readonly Finding[]> {
  const { config, store = null } = deployment.loaded;
  const name =
    store === null ? `the store ${findStorePath(config)}` : `the store in ${describeDatabase(store.url)}`;
  try {
    const inspection = await inspect(deployment);
    const found = [
      ...inspection.faults.map((fault) => failed('store', fault)),
      ...inspection.warnings.map((text) => warning('store', text)),
    ];
    if (found.some(({ status }) => status === 'failed')) return found;
    if (inspection.version === null) return [...found, ...describeNewStore(deployment, name, inspection)];
    const facts = [`version ${inspection.version}`, ...inspection.facts].join(', ');
    return [...found, ok('store', `${name}: ${facts}`)];
  } catch (cause) {
    if (store === null && /^E[A-Z]+$/.test(readErrorCode(cause)))
      return [failed('store', describePlace(cause, config))];
    const why = cause instanceof Error ? cause.message : String(cause);
    const way =
      store === null
        ? (findPlaceRemedy(findStorePath(config)) ?? damageRemedy)
        : 'Check DATABASE_URL, and that its server is up';
    return [failed('store', `${name} cannot be used: ${why}. ${way}`)];
  }
}

async function inspect({ loaded }: Deployment): Promise<StoreInspection> {
  const { config, store = null } = loaded;
  const chain = config.chain ? { chainId, asset: config.chain.asset } : null;
  if (store !== null && chain !== null) {
    const { inspectPostgresStore } = await import('../store/postgres/inspect-postgres.ts');
    return inspectPostgresStore({ ...store, chain, connectionsMax: config.storeConnectionsMax });
  }
  const { inspectSqliteStore } = await import('../store/sqlite/inspect-sqlite.ts');
  return inspectSqliteStore({
    path: findStorePath(config),
    chain,
    busyTimeoutMs: config.databaseBusyTimeoutMs,
    freeBytesMin: config.databaseFreeBytesMin,
  });
}

/** A new store needs a place that this user may write to. */
function describeNewStore(
  { loaded: { config, store = null } }: Deployment,
  name: string,
  { facts }: StoreInspection,
): readonly Finding[] {
  try {
    // With the slash, a file in place of the folder is an error.
    if (store === null) accessSync(`${findFolder(findStorePath(config))}/`, constants.W_OK | constants.X_OK);
  } catch (cause) {
    return [failed('store', describePlace(cause, config))];
  }
  const known = facts.length > 0 ? ` (${facts.join(', ')})` : '';
  return [ok('store', `${name} does not exist yet${known}. The first start creates it`)];
}

function describePlace(cause: unknown, config: Config): string {
  return placeFault(cause, findStorePath(config), config.chain ? 'DATABASE_FILE' : 'DEVNET_FOLDER');
}

/** Finds the folder in which the start creates the file or its missing folders. */
function findFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (statSync(folder, { throwIfNoEntry: false }) === undefined) folder = dirname(folder);
  return folder;
}

function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return `the database ${pathname.slice(1)} at ${host}`;
}
