import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import { createPaymentToken } from '../../chain/token.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { type Devnet, startDevnet } from '../../devnet/devnet.ts';
import type { Log } from '../../observe/log.ts';
import { type RunningGateway, startGateway } from '../../start/start.ts';
import type { Address, Hex } from '../../types/units.ts';
import { type CountingEngine, createCountingEngine, createEngines } from '../counting-engine.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post, type ReceivedResponse } from '../payer.ts';
import { ledgerEnvironment } from '../proof/ledger-environment.ts';
import {
  type FacilitatorConduct,
  type FacilitatorPath,
  startTestFacilitator,
  type TestFacilitator,
} from './fake-facilitator.ts';

/**
 * A chain. Each test has its own facilitator on the chain, and gateways without a relayer key that settle
 * through it.
 */
export type FacilitatorFixture = {
  readonly devnet: Devnet;
  readonly rpc: HttpRpc;
  readonly facilitator: TestFacilitator;
  readonly engine: CountingEngine;
  /** The log records of all gateways of this test. */
  readonly logged: readonly unknown[];
  /** Starts a gateway by environment, as an operator does. Settings that only a file can set are short. */
  start(
    change?: Record<string, string>,
    patience?: Patience,
    settings?: TestSettings,
  ): Promise<StartedGateway>;
  /** Sets the conduct of the facilitator at one path. The other paths stay sound. */
  on(path: FacilitatorPath, conduct: FacilitatorConduct): void;
  /** Counts the calls of the facilitator at this path. */
  asked(path: FacilitatorPath): number;
  balanceOf(holder: Address): Promise<bigint>;
  /** Starts a new facilitator, without a gateway. */
  begin(): Promise<void>;
  /** Stops the facilitator and the gateways of the test. */
  end(): Promise<void>;
  stop(): Promise<void>;
};

/** How long a gateway waits for the chain, and for the facilitator. */
export type Patience = { readonly settlementWaitMs: number; readonly settleTimeoutMs: number };

/** Settings that the tests of all gateways share otherwise. */
type TestSettings = Partial<Config> & { readonly settlementsMax?: number };

const patient: Patience = { settlementWaitMs: 15_000, settleTimeoutMs: 15_000 };
/** For a test in which the facilitator does not settle. */
export const impatient: Patience = { settlementWaitMs: 800, settleTimeoutMs: 200 };

export type StartedGateway = RunningGateway & { readonly chat: string };

export async function openFacilitatorFixture(tokenCode?: Hex): Promise<FacilitatorFixture> {
  const devnet = await startDevnet({ chainId, ...(tokenCode && { tokenCode }) });
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  let current = await beginTest(devnet);
  return {
    devnet,
    rpc,
    get facilitator() {
      return current.facilitator;
    },
    get engine() {
      return current.engine;
    },
    get logged() {
      return current.logged;
    },
    start: (change = {}, patience = patient, settings = {}) =>
      start(devnet, current, change, { ...patience, ...settings }),
    on(path, conduct) {
      current.facilitator.conduct = (asked) => (asked === path ? conduct : 'sound');
    },
    asked: (path) => current.facilitator.asked.filter((call) => call.path === path).length,
    async balanceOf(holder) {
      const balance = await createPaymentToken({ rpc, asset: devnet.token.address }).balanceOf(holder);
      if (!balance.ok) throw new Error(balance.fault.message);
      return balance.value;
    },
    async begin() {
      await endTest(current);
      current = await beginTest(devnet);
    },
    end: () => endTest(current),
    async stop() {
      await endTest(current);
      await rpc.close();
      await devnet.stop();
    },
  };
}

type Test = {
  readonly facilitator: TestFacilitator;
  readonly engine: CountingEngine;
  readonly logged: unknown[];
  readonly folder: string;
  readonly gateways: Set<RunningGateway>;
};

async function beginTest(devnet: Devnet): Promise<Test> {
  return {
    facilitator: await startTestFacilitator(devnet),
    engine: createCountingEngine(),
    logged: [],
    folder: mkdtempSync(join(tmpdir(), 'paid-inference-facilitator-')),
    gateways: new Set(),
  };
}

async function endTest({ gateways, facilitator, folder }: Test): Promise<void> {
  for (const gateway of gateways) await gateway.stop();
  gateways.clear();
  await facilitator.close();
  rmSync(folder, { recursive: true, force: true });
}

async function start(
  devnet: Devnet,
  { facilitator, engine, logged, folder, gateways }: Test,
  change: Record<string, string>,
  { settleTimeoutMs, settlementsMax, ...changes }: Patience & TestSettings,
): Promise<StartedGateway> {
  const loaded = loadConfig(null, {
    PORT: '0',
    CHAIN_RPC_URL: devnet.rpcUrl,
    ...ledgerEnvironment(devnet.ledger),
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    DATABASE_FILE: join(folder, 'gateway.db'),
    FACILITATOR_URL: facilitator.url,
    ...change,
  });
  if (!loaded.ok) throw new Error(loaded.fault.join('\n'));
  const settings = loaded.value.config.facilitator;
  if (settings === undefined) throw new Error('no facilitator');
  const config = {
    ...loaded.value.config,
    addressRateLimit: null,
    payerRateLimit: null,
    refusalRateLimit: null,
    settlementResendMs: 100,
    receiptPollMsMax: 20,
    ...changes,
    facilitator: {
      ...settings,
      ...(settlementsMax !== undefined && { settlementsMax }),
      verifyTimeoutMs: 2_000,
      settleTimeoutMs,
      retryMs: 20,
      retryMsMax: 50,
    },
  };
  const levels = ['debug', 'info', 'warn', 'error'];
  const log = Object.fromEntries(
    levels.map((level) => [level, (...words: unknown[]) => logged.push(words)]),
  ) as unknown as Log;
  const engines = createEngines(engine);
  const started = await startGateway({ ...loaded.value, config, environment: {}, log, engines });
  if (!started.ok) throw new Error(started.fault.join('\n'));
  const gateway: RunningGateway = {
    ...started.value,
    async stop() {
      if (gateways.delete(gateway)) await started.value.stop();
    },
  };
  gateways.add(gateway);
  return { ...gateway, chat: `${gateway.listensAt}${chatPath}` };
}

/** Requests an offer and signs a payment for it. */
export async function signedPayment(chat: string, payerKey: string) {
  const offer = decodeOffer(await post(chat, chatBody));
  return { offer, price: BigInt(offer.maxAmountRequired), header: await paymentFor(offer, payerKey) };
}

/** Returns the status, and the error's code or, for an offer, its reason. */
export function readOutcome({ status, body }: ReceivedResponse): readonly [number, unknown] {
  return [status, body.error?.code ?? body.error];
}
