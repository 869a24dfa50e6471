import { watchForeignLoad } from '../bench/measure/processor.ts';
import type { Report } from '../bench/section.ts';
import { startGatewayTarget } from '../bench/targets/gateway.ts';
import { openRpc, startMining } from '../bench/targets/mining.ts';
import { createPaymentSigner } from '../bench/targets/payments.ts';
import { openSetup } from '../bench/targets/setup.ts';
import { createFaultStore } from '../faults/store.ts';
import { shareTestServer } from '../testing/store/postgres-server.ts';
import { auditPayments } from './audit.ts';
import { createPayments, isServed, openBook } from './book.ts';
import { openConnections } from './connections.ts';
import type { Law } from './laws.ts';
import { runClosedLoop } from './loops.ts';
import { type MachineFindings, watchMachine } from './machine.ts';
import { type OverloadFindings, runOverload } from './overload.ts';
import { systemPace } from './pace.ts';
import type { Driver } from './phase.ts';
import { runSoak, type SoakFindings } from './soak.ts';

/**
 * anvil copies all storage of the chain with each block. A block for each settlement would soon cost the chain more than
 * the payments cost the gateway.
 */
const blockTimeMs = 200;
/** The chain needs new memory for each of them when its table of payments doubles, and stops for that time (D-385). */
const statesKeptMax = 2;
/** One relayer settles little more than a gateway on two cores serves, so p99 would show the queue of the relayer. */
const relayers = 2;
const capacity = { atOnce: 512, seconds: 30 } as const;
const warmUp = { atOnce: 128, seconds: 5 } as const;
const soakShare = 0.8;

export type LoadFindings = {
  readonly capacityPerSecond: number;
  readonly soak: Pick<SoakFindings, 'perSecond' | 'p50Ms' | 'p99Ms'>;
  readonly machine: MachineFindings;
  readonly overload: Pick<OverloadFindings, 'perSecond' | 'servedPerSecond'>;
  /** Cores that other programs used; null without /proc. */
  readonly foreignCores: number | null;
  readonly laws: readonly Law[];
  readonly charts: readonly Report[];
};

/** Measures the capacity of one gateway, and loads it below and above it. */
export async function runLoad(minutes: number, say: (line: string) => void): Promise<LoadFindings> {
  const foreign = watchForeignLoad();
  await using setup = await openSetup({ statesKeptMax });
  const { devnet, folder } = setup;
  await using rpc = openRpc(devnet.rpcUrl);
  const store = await createFaultStore('sqlite', folder, shareTestServer);
  const gateway = setup.keep(
    await startGatewayTarget({
      ...{ devnet, folder, name: 'gateway', ledger: await setup.startLedger(), relayers },
      store: { ...store.environment, ADMIN_ADDRESS: '127.0.0.1:0' },
    }),
  );
  const book = openBook();
  const connections = openConnections(gateway.url);
  const driver: Driver = {
    ...{ url: gateway.url, adminUrl: gateway.adminUrl ?? '', book, say },
    nextPayment: createPayments(gateway.url, await createPaymentSigner(devnet)),
    async send(payment) {
      const seen = await connections.send(payment.request);
      book.note(payment, seen);
      return seen;
    },
  };
  const watch = watchMachine();
  await using _mining = await startMining(rpc, blockTimeMs, watch.noteBlock);
  const capacityPerSecond = await measureCapacity(driver);
  watch.beginSoak();
  const soak = await runSoak(driver, capacityPerSecond * soakShare, minutes * 60);
  const machine = watch.stop();
  const overload = await runOverload(driver, capacityPerSecond, soak.p99Ms);
  const foreignCores = foreign.read();
  say('Audit: comparing all responses with the chain and the store …');
  const audit = await auditPayments({ devnet, book, stores: [store], connections });
  connections.close();
  return {
    ...{ capacityPerSecond, foreignCores },
    soak: { perSecond: soak.perSecond, p50Ms: soak.p50Ms, p99Ms: soak.p99Ms },
    machine,
    overload: { perSecond: overload.perSecond, servedPerSecond: overload.servedPerSecond },
    laws: [...soak.laws, ...overload.laws, ...audit],
    charts: [soak.chart, overload.chart],
  };
}

async function measureCapacity({ nextPayment, send, say }: Driver): Promise<number> {
  let served = 0;
  const pay = async () => {
    const seen = await send(nextPayment());
    if (!isServed(seen))
      throw new Error(`a payment got no completion below all limits: ${JSON.stringify(seen)}`);
    served += 1;
  };
  await runClosedLoop(warmUp, pay, systemPace);
  served = 0;
  const startedAt = performance.now();
  await runClosedLoop(capacity, pay, systemPace);
  const perSecond = (served * 1_000) / (performance.now() - startedAt);
  say(`Capacity: ${perSecond.toFixed(0)} payments a second, with ${capacity.atOnce} at once.`);
  return perSecond;
}
