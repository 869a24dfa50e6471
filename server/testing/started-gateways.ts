import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { chainId } from '@paid-inference/contract/constants';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { type Loaded, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { createLog } from '../observe/log.ts';
import { type RunningGateway, startGateway } from '../start/start.ts';
import type { Result } from '../types/result.ts';
import type { Address, Hex } from '../types/units.ts';
import { type CountingEngine, createCountingEngine, createEngines } from './counting-engine.ts';
import { ledgerEnvironment } from './proof/ledger-environment.ts';

type Change = Readonly<Record<string, string>>;

/** For tests: a running chain, and gateways that are started on it by environment, as an operator does. */
export type StartedGateways = {
  readonly devnet: Devnet;
  readonly rpc: HttpRpc;
  /** Folder for stores. It is deleted with the chain. */
  readonly folder: string;
  /** The settings of a gateway on this chain, with its store in the folder. */
  settings(change?: Change): Loaded;
  start(
    change?: Change,
    engine?: CountingEngine,
    settlementWaitMs?: number,
    /** Settings without an environment variable. */
    more?: Partial<Config>,
  ): Promise<Result<RunningGateway, readonly string[]>>;
  /** Starts a gateway, and throws when it does not start. */
  started(engine: CountingEngine, settlementWaitMs?: number): Promise<RunningGateway>;
  balanceOf(holder: Address): Promise<bigint>;
  /** Reads the payment states from a store file directly. */
  statesIn(databaseFile: string): readonly unknown[];
  close(): Promise<void>;
};

export async function openStartedGateways(tokenCode?: Hex): Promise<StartedGateways> {
  const devnet = await startDevnet({ chainId, ...(tokenCode && { tokenCode }) });
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  const token = createPaymentToken({ rpc, asset: devnet.token.address });
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-start-'));
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
    DATABASE_FILE: join(folder, 'gateway.db'),
  };
  return { devnet, rpc, folder, settings, start, started, balanceOf, statesIn, close };

  function settings(change: Change = {}): Loaded {
    const loaded = loadConfig(null, { ...environment, ...change });
    if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
    return loaded.value;
  }

  function start(
    change: Change = {},
    engine = createCountingEngine(),
    settlementWaitMs = 10_000,
    more: Partial<Config> = {},
  ) {
    const { config, ...rest } = settings(change);
    const options = {
      ...rest,
      config: { ...config, settlementWaitMs, ...more },
      engines: createEngines(engine),
    };
    return startGateway({ ...options, environment: {}, log: createLog('silent') });
  }

  async function started(engine: CountingEngine, settlementWaitMs?: number): Promise<RunningGateway> {
    const result = await start({}, engine, settlementWaitMs);
    if (!result.ok) throw new Error(result.fault.join('\n'));
    return result.value;
  }

  async function balanceOf(holder: Address): Promise<bigint> {
    const balance = await token.balanceOf(holder);
    if (!balance.ok) throw new Error(balance.fault.message);
    return balance.value;
  }

  async function close(): Promise<void> {
    await rpc.close();
    await devnet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function statesIn(databaseFile: string): readonly unknown[] {
  const database = new DatabaseSync(databaseFile);
  try {
    return database.prepare('SELECT state FROM payment').all();
  } finally {
    database.close();
  }
}
