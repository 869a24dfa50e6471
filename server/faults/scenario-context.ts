import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import { systemClock } from '../types/clock.ts';
import { boughtBy, createBuyers, isFinal } from './buyers.ts';
import { type Chain, startChain } from './chain.ts';
import { type FaultyNode, sound, startFaultyNode } from './faulty-node.ts';
import { temporaryFolder } from './folder.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import type { Scenario, ScenarioContext } from './scenario.ts';
import type { SharedFixtures } from './shared-fixtures.ts';
import { createFaultStore, type FaultStore } from './store.ts';
import { answering, startUpstream, type Upstream } from './upstream.ts';

export const model = 'alder/alder-mini';
/** The price of each request in the token's smallest unit. */
export const price = 1_000n;

/** Short timeouts, so that recovery and run are quick. */
const settings = {
  inferenceTimeoutMs: 2_000,
  settlementMarginSeconds: 5,
  settlementWaitMs: 2_000,
  rpcTimeoutMs: 3_000,
  receiptPollMsMax: 100,
  settlementResendMs: 300,
  healthAgeMaxMs: 200,
  upstreamHealthAgeMaxMs: 200,
  upstreamPauseMs: 300,
  upstreamPauseMsMax: 600,
  relayerLeaseSeconds: 2,
  storePollMs: 50,
  maintenanceMs: 200,
  debtBlockSeconds: 1,
  privateCompletionKeepSeconds: 0,
  shutdownTimeoutMs: 5_000,
  addressRateLimit: null,
  addressConnectionsMax: null,
  payerRateLimit: null,
  payerInferencesMax: null,
  refusalRateLimit: null,
};
/**
 * The longest recovery. In a shared store the reservation of a dead process ends after 17 s (D-22). The
 * embedded store releases it at the start.
 */
const recoveryMsUsual = { sqlite: 12_000, postgres: 30_000 } as const;
const pollMs = 50;

type OpenContext = Omit<ScenarioContext, 'close'>;

export async function createScenarioContext(
  scenario: Scenario,
  random: () => number,
  fixtures: SharedFixtures,
): Promise<ScenarioContext> {
  await using opened = new AsyncDisposableStack();
  const { path: folder, remove } = temporaryFolder();
  opened.defer(remove);
  const chain = await startChain(scenario.chain);
  opened.defer(() => chain.close());
  const node = await startFaultyNode(chain.devnet.rpcUrl);
  opened.defer(() => node.off());
  const upstreams = [await startUpstream()] as [Upstream, ...Upstream[]];
  while (upstreams.length < (scenario.upstreams ?? 1)) upstreams.push(await startUpstream());
  for (const each of upstreams) opened.defer(() => each.off());
  const store = await createFaultStore(scenario.store, folder, fixtures.postgres);
  opened.defer(() => store.close());
  const gateways: GatewayProcess[] = [];
  opened.defer(async () => {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
  });
  const faults: string[] = [];
  const notes: string[] = [];
  const buyers = createBuyers(model, chain.devnet.payer, () => context.anyUrl());
  const environment = {
    ...fixtures.environment,
    ...createEnvironment(folder, chain, node, upstreams, store),
  };
  let recovered: Promise<void> | null = null;

  const context: OpenContext = {
    random,
    chain,
    node,
    upstream: upstreams[0],
    upstreams,
    store,
    buyers,
    gateways,
    faults,
    async start({ settings: change, ...options } = {}) {
      const gateway = await startGatewayProcess(folder, environment, {
        ...options,
        settings: { ...settings, ...change },
      });
      gateways.push(gateway);
      return gateway;
    },
    notes,
    note: (measured) => void notes.push(measured),
    anyUrl: () => gateways.findLast((gateway) => gateway.isRunning())?.chat ?? 'http://127.0.0.1:1/',
    check(isTrue, otherwise) {
      if (!isTrue) faults.push(otherwise);
    },
    async until(isSo, otherwise, withinMs = recoveryMsUsual[scenario.store]) {
      const deadline = systemClock.monotonicMs() + withinMs;
      while (!(await isSo())) {
        if (systemClock.monotonicMs() > deadline) {
          faults.push(otherwise);
          return false;
        }
        await after(pollMs);
      }
      return true;
    },
    recover() {
      recovered ??= endFaults(context, scenario);
      return recovered;
    },
    async checkAllServed() {
      await context.recover();
      const unserved = buyers.payments.filter((payment) => boughtBy(payment) === null);
      context.check(unserved.length === 0, `${unserved.length} buyers with funds were not served`);
    },
  };
  const closers = opened.move();
  return { ...context, close: () => closers.disposeAsync() };
}

/** Ends all faults, starts a gateway if none runs, and lets each buyer retry until its result is final. */
async function endFaults(context: OpenContext, scenario: Scenario): Promise<void> {
  const { node, upstreams, chain, gateways, buyers } = context;
  node.rule = sound;
  await node.on();
  for (const upstream of upstreams) {
    upstream.conduct = answering;
    await upstream.on();
  }
  await chain.ask('evm_setAutomine', true);
  await chain.ask('evm_mine');
  if (!gateways.some((gateway) => gateway.isRunning())) await context.start();
  const withinMs = scenario.recoveryMs ?? recoveryMsUsual[scenario.store];
  const asking = buyers.payments.filter(({ isGivenUp, seen }) => !isGivenUp && !isFinal(seen.at(-1)));
  const words = await Promise.all(
    asking.map((each) => buyers.payUntilAnswered(context.anyUrl, each, withinMs)),
  );
  const wordless = words.filter((word) => word === null).length;
  context.check(wordless === 0, `${wordless} buyers got no final response within ${withinMs / 1000} s`);
}

/** The environment of all gateways of a scenario. */
function createEnvironment(
  folder: string,
  { devnet }: Chain,
  node: FaultyNode,
  upstreams: readonly Upstream[],
  store: FaultStore,
): Readonly<Record<string, string>> {
  const catalogFile = join(folder, 'catalog.json');
  const pricing = { input_per_million: '0', output_per_million: '0', minimum: price.toString() };
  const sold = {
    id: model,
    created: 1_700_000_000,
    owned_by: 'alder',
    engine: 'openai',
    context_length: 8_192,
    max_output_tokens: 2_048,
    pricing,
    upstreams: upstreams.map(({ baseUrl }) => ({ base_url: baseUrl, model: 'stand-in' })),
  };
  writeFileSync(catalogFile, JSON.stringify({ models: [sold] }));
  return {
    ...store.environment,
    CATALOG_FILE: catalogFile,
    CHAIN_RPC_URL: node.url,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
  };
}
