import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { type Config, configSchema } from '../config/schema.ts';
import type { Devnet } from '../devnet/devnet.ts';
import { createLog } from '../observe/log.ts';
import { startGateway } from '../start/start.ts';
import type { StartOptions } from '../start/start-options.ts';
import type { Clock } from '../types/clock.ts';
import type { Address } from '../types/units.ts';
import { type CountingEngine, createCountingEngine, createEngines } from './counting-engine.ts';

export type TestGateway = {
  readonly url: string;
  /** Null unless the settings have an admin address. */
  readonly adminUrl: string | null;
  readonly engine: CountingEngine;
  readonly devnet: Devnet;
  readonly rpc: HttpRpc;
  /** The file of the embedded store. */
  readonly storeFile: string;
  balanceOf(holder: Address): Promise<bigint>;
  stop(): Promise<void>;
};

/** On a machine under load, a test may use a connection again just when the gateway ends its idle time. */
const keepAliveTimeoutMs = 60_000;

/** Starts a whole gateway with its own devnet, on a free port, with a counting engine. */
export async function startTestGateway(
  settings: Partial<Record<keyof Config, unknown>> = {},
  clock?: Clock,
  more: Partial<Pick<StartOptions, 'engines' | 'log' | 'store' | 'wrapStore'>> = {},
): Promise<TestGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-test-'));
  const config = configSchema.parse({
    port: 0,
    devnetFolder: folder,
    addressRateLimit: null,
    payerRateLimit: null,
    refusalRateLimit: null,
    logLevel: 'silent',
    keepAliveTimeoutMs,
    ...settings,
  });
  const engine = createCountingEngine();
  const started = await startGateway({
    config,
    relayerKeys: [],
    environment: {},
    log: createLog(config.logLevel),
    engines: createEngines(engine),
    ...more,
    ...(clock && { clock }),
  });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  const { devnet, asset } = started.value.chain;
  if (devnet === null) throw new Error('no devnet was started');
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  const token = createPaymentToken({ rpc, asset });
  return {
    url: started.value.url,
    adminUrl: started.value.adminUrl,
    engine,
    devnet,
    rpc,
    storeFile: join(folder, 'gateway.db'),
    async balanceOf(holder) {
      const balance = await token.balanceOf(holder);
      if (!balance.ok) throw new Error(balance.fault.message);
      return balance.value;
    },
    async stop() {
      await started.value.stop();
      await rpc.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
