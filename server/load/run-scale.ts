import { watchForeignLoad } from '../bench/measure/processor.ts';
import { createPaymentSigner } from '../bench/targets/payments.ts';
import { openSetup } from '../bench/targets/setup.ts';
import { startTestServer, type TestServer } from '../testing/store/postgres-server.ts';
import { auditPayments } from './audit.ts';
import { type Book, createPayments, openBook, type Payment } from './book.ts';
import { type Connections, openConnections } from './connections.ts';
import { type Fleet, startFleet } from './fleet.ts';
import type { Law } from './laws.ts';
import { runClosedLoop } from './loops.ts';
import { systemPace } from './pace.ts';
import { createPatientClients, type PatientClients } from './patient-clients.ts';

const atOnce = 64;
const warmUp = { atOnce: 16, seconds: 5 } as const;
const atOnceWhileDisturbed = 32;
/** How long a gateway stays away after a kill, and how long the load goes on after a disturbance. */
const awayMs = 3_000;
const restMs = 5_000;

type ScaleRow = { readonly gateways: number; readonly perSecond: number };

export type ScaleFindings = {
  readonly rows: readonly ScaleRow[];
  /** Cores that other programs used; null without /proc. */
  readonly foreignCores: number | null;
  readonly laws: readonly Law[];
};

export type ScaleOptions = {
  readonly gateways: readonly number[];
  readonly seconds: number;
  readonly say: (line: string) => void;
};

type Stage = {
  readonly name: string;
  readonly gateways: number;
  readonly fleet: Fleet;
  readonly book: Book;
  readonly connections: Connections;
  readonly nextPayment: () => Payment;
  readonly say: (line: string) => void;
};

/** Measures several numbers of gateways on one PostgreSQL server, and disturbs the largest. */
export async function runScale({ gateways, seconds, say }: ScaleOptions): Promise<ScaleFindings> {
  const foreign = watchForeignLoad();
  const server = await startTestServer({ durable: true });
  const rows: ScaleRow[] = [];
  const laws: Law[] = [];
  try {
    for (const count of gateways) {
      const isLast = count === gateways.at(-1);
      const found = await runStage(server, count, { seconds, isLast, say });
      rows.push(found.row);
      laws.push(...found.laws);
    }
  } finally {
    await server.remove();
  }
  return { rows, foreignCores: foreign.read(), laws };
}

async function runStage(
  server: TestServer,
  gateways: number,
  {
    seconds,
    isLast,
    say,
  }: { readonly seconds: number; readonly isLast: boolean; readonly say: Stage['say'] },
): Promise<{ readonly row: ScaleRow; readonly laws: readonly Law[] }> {
  await using setup = await openSetup();
  await using fleet = await startFleet(setup, server, gateways);
  const book = openBook();
  const connections = openConnections(fleet.url);
  const name = gateways === 1 ? '1 gateway' : `${gateways} gateways`;
  const nextPayment = createPayments(fleet.url, await createPaymentSigner(setup.devnet));
  const stage = { name, gateways, fleet, book, connections, nextPayment, say };
  const { perSecond, law } = await measureThroughput(stage, seconds);
  say(`${name}: ${perSecond.toFixed(0)} payments a second.`);
  const disturbed = isLast ? [...(await restartEach(stage)), ...(await killOne(stage))] : [];
  const audit = await auditPayments({ devnet: setup.devnet, book, stores: [fleet.store], connections });
  connections.close();
  return {
    row: { gateways, perSecond },
    laws: [law, ...disturbed, ...audit.map((each) => ({ ...each, name: `${name}, ${each.name}` }))],
  };
}

async function measureThroughput(stage: Stage, seconds: number) {
  await runClosedLoop(warmUp, createClients(stage).pay, systemPace);
  const clients = createClients(stage);
  const startedAt = performance.now();
  await runClosedLoop({ atOnce, seconds }, clients.pay, systemPace);
  const perSecond = (clients.served * 1_000) / (performance.now() - startedAt);
  return { perSecond, law: judge(`${stage.name}: each payment gets its completion`, clients) };
}

/** Restarts all gateways under load, one after the other, as an operator does. */
async function restartEach(stage: Stage): Promise<readonly Law[]> {
  const { name, gateways, fleet, say } = stage;
  say(`${name}: restarting one after the other under load …`);
  const codes: (number | null)[] = [];
  const clients = await payDuring(stage, async () => {
    for (let at = 0; at < gateways; at++) codes.push(await fleet.restart(at, 'SIGTERM'));
  });
  say(`${name}: ${clients.counts.describe()}.`);
  return [
    judge(`${name}, rolling restart: each payment gets its completion`, clients),
    {
      name: `${name}, rolling restart: each gateway ends with exit code 0`,
      holds: codes.every((code) => code === 0),
      figures: `exit codes ${codes.join(', ')}`,
    },
  ];
}

/** Kills a gateway under load, and starts it again. */
async function killOne(stage: Stage): Promise<readonly Law[]> {
  const { name, fleet, say } = stage;
  say(`${name}: killing one under load …`);
  const clients = await payDuring(stage, () => fleet.restart(0, 'SIGKILL', awayMs));
  say(`${name}: ${clients.counts.describe()}.`);
  return [judge(`${name}, SIGKILL of one: each payment gets its completion`, clients)];
}

/** Pays until the disturbance is over, and a while longer. */
async function payDuring(stage: Stage, disturb: () => Promise<unknown>): Promise<PatientClients> {
  const clients = createClients(stage);
  let isOver = false;
  const paying = Array.from({ length: atOnceWhileDisturbed }, async () => {
    while (!isOver) await clients.pay();
  });
  try {
    await disturb();
    await systemPace.wait(restMs);
  } finally {
    isOver = true;
    await Promise.all(paying);
  }
  return clients;
}

function createClients({ connections, book, nextPayment }: Stage): PatientClients {
  return createPatientClients({ connections, book, nextPayment, pace: systemPace });
}

function judge(name: string, { served, givenUp, longestMs, counts }: PatientClients): Law {
  return {
    name,
    holds: givenUp === 0 && served > 0,
    figures: `${served} completions, the longest after ${(longestMs / 1_000).toFixed(1)} s; responses: ${counts.describe()}`,
  };
}
