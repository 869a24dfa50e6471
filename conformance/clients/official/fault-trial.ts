import { join, resolve } from 'node:path';
import { network } from '@paid-inference/contract/constants';
import { runProgram } from '../../stacks/program.ts';
import { type GatewayProcess, startGateway, stopGateway } from '../../testing/gateway-process.ts';
import { plainEnvironment } from '../../testing/run-cli.ts';
import { priceMaxUnits } from '../purchase.ts';
import type { PublishedClient } from './clients.ts';
import { type FaultChain, openFaultChain } from './fault-chain.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import type { FaultCase } from './faults.ts';

type Client = Pick<PublishedClient, 'name' | 'command'>;

/** Runs of a program in one purchase: a person starts it again after an error. */
const runsMax = 3;
const runSecondsMax = 60;
/** Purchases at the same time, so that a program does not wait for the processor. */
const purchasesMax = 4;
/** A payment gets `settlement_pending` only after the proxy left `during` its settlement. */
const settings = 'advanced: { settlementWaitMs: 3000, payerRateLimit: null, addressRateLimit: null }\n';

type Measured = {
  readonly payments: number;
  readonly completions: number;
  /** The forms of the payments that the client sent, such as `x402 v1`. */
  readonly dialects: readonly string[];
};
/** By the name of the case. */
type MeasuredCases = Readonly<Record<string, Measured>>;

/** A gateway with a devnet, and programs that buy from it. */
export type FaultTrial = {
  /** Buys once in each case. */
  run(client: Client, cases: readonly FaultCase[]): Promise<MeasuredCases>;
  close(): Promise<void>;
};

/** The commands run in the folder. */
export async function openFaultTrial(folder: string): Promise<FaultTrial> {
  const gateway = await startGateway(settings);
  const chain = openFaultChain(gateway);

  async function measure(client: Client, cases: readonly FaultCase[]): Promise<MeasuredCases> {
    const before = await chain.balance();
    const opened = await Promise.all(
      cases.map(async ({ name, strike }) => ({
        name,
        proxy: await startFaultProxy(gateway.ready.url, strike),
      })),
    );
    try {
      const bought = opened.map(({ name, proxy }) => ({
        name,
        proxy,
        completions: buy(client, { gateway, folder, url: proxy.url, at: name }),
      }));
      // A program that pays nothing meets no fault.
      await Promise.all(bought.map(({ proxy, completions }) => Promise.race([proxy.struck, completions])));
      await chain.setMining(true);
      let paid = 0n;
      const measured: Record<string, Measured> = {};
      for (const { name, proxy, completions } of bought) {
        const received = await completions;
        const settled = await listSettled(proxy, chain);
        paid += settled.reduce((sum, value) => sum + value, 0n);
        measured[name] = { payments: settled.length, completions: received, dialects: [...proxy.dialects] };
      }
      const lost = before - (await chain.balance());
      if (lost !== paid)
        throw new Error(`${client.name} lost ${lost} units, and the counted payments are ${paid}`);
      return measured;
    } finally {
      for (const { proxy } of opened) await proxy[Symbol.asyncDispose]();
    }
  }

  return {
    async run(client, cases) {
      let measured: MeasuredCases = {};
      const moving = cases.filter(({ isChainStopped }) => !isChainStopped);
      for (let at = 0; at < moving.length; at += purchasesMax)
        measured = { ...measured, ...(await measure(client, moving.slice(at, at + purchasesMax))) };
      const stopped = cases.filter(({ isChainStopped }) => isChainStopped);
      if (stopped.length === 0) return measured;
      await chain.setMining(false);
      return { ...measured, ...(await measure(client, stopped)) };
    },
    async close() {
      chain.close();
      await stopGateway(gateway);
    },
  };
}

type Place = {
  readonly gateway: GatewayProcess;
  readonly folder: string;
  /** Of the proxy. */
  readonly url: string;
  /** The name of the case. */
  readonly at: string;
};

/** Runs the program until it has a completion. Returns the number of completions. */
async function buy(
  { name, command }: Client,
  { gateway: { folder: secrets, ready }, folder, url, at }: Place,
): Promise<number> {
  const environment = {
    ...plainEnvironment,
    CONFORMANCE_URL: url,
    CONFORMANCE_KEY_FILE: resolve(secrets, ready.payer.keyFile),
    CONFORMANCE_MODEL: 'alder/alder-mini',
    CONFORMANCE_PRICE_MAX: `${priceMaxUnits}`,
    CONFORMANCE_TOKEN: ready.token.address,
    CONFORMANCE_PAY_TO: ready.payTo,
    CONFORMANCE_NETWORK: network,
    CONFORMANCE_STREAM: 'false',
    // The offers name the gateway, and not the proxy in front of it.
    RESOURCE_HOST: new URL(ready.url).host,
    JOURNAL: join(secrets, `${name} ${at}.journal`.replaceAll(/[^\w.]+/g, '-')),
    // Two equal requests would be one purchase.
    PROMPT: `Say ${name}, ${at}.`,
  };
  const { signal } = new AbortController();
  for (let runs = 1; runs <= runsMax; runs++) {
    const ended = await runProgram(command, { folder, environment, deadlineSeconds: runSecondsMax, signal });
    if (ended.fault === undefined) return 1;
  }
  return 0;
}

/** The values of the settled payments. */
async function listSettled({ authorizations }: FaultProxy, chain: FaultChain): Promise<readonly bigint[]> {
  const values: bigint[] = [];
  for (const [nonce, value] of authorizations) if (await chain.isSettled(nonce)) values.push(value);
  return values;
}
