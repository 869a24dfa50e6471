import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Ratio, Report, Row, Section } from '../section.ts';
import { addRound, createDevnetRounds, type Measurements } from '../targets/devnet-rounds.ts';
import { loadFor, loadPaid, type PaidFigures, type Payee, warmUp } from '../targets/paid-load.ts';
import { startGatewayPayee, startOfficialPayee, startPostgresPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers, startUpstream } from '../targets/peers.ts';
import type { Setup } from '../targets/setup.ts';

const slowModelMs = 200;

export const paid: Section = { id: 'b', title: 'Paid requests', run };

type Server = keyof typeof names;

const names = {
  gateway: 'gateway',
  official: '@x402/express',
  postgres: 'gateway, PostgreSQL',
  slowGateway: `gateway, model ${slowModelMs} ms`,
  slowOfficial: `@x402/express, model ${slowModelMs} ms`,
  postgresPair: 'gateway, 2 processes, PostgreSQL',
} as const;

/** The servers that are measured with the same number of payments at once. */
type Group = { readonly atOnce: number; readonly servers: readonly Server[] };
type FiguresOf = (server: Server, atOnce: number) => readonly PaidFigures[];

async function run(options: BenchOptions): Promise<Report> {
  installPeers(options.say);
  const groups = listGroups(options.quick);
  const measured = new Map<string, PaidFigures[]>();
  const of: FiguresOf = (server, atOnce) => measured.get(describe(server, atOnce)) ?? [];
  const devnetRounds = createDevnetRounds(options);
  for (let round = 1; round <= options.rounds; round++) {
    for (const group of groups) {
      const start = (setup: Setup) => startGroup(group, round, setup, options);
      addRound(measured, await devnetRounds.measure(round, start));
    }
  }
  return {
    id: paid.id,
    title: paid.title,
    method: `Clients send signed chat requests and wait for the completion with its receipt. The servers of one concurrency settle on one devnet, which mines each transaction at once. Each round starts a new devnet and new servers, so that all rounds begin with the same state. The model responds at once, or is an upstream that takes ${slowModelMs} ms. The store is a SQLite file where no other one is named. The connections to two processes alternate.${devnetRounds.describeFailures()}`,
    rows: groups.flatMap(({ atOnce, servers }) =>
      servers.map((server) => row(describe(server, atOnce), of(server, atOnce))),
    ),
    ratios: compareAll(groups, of),
    chart: { bars: 'payments/s' },
  };
}

function listGroups(quick: boolean): readonly Group[] {
  return (quick ? [1, 32, 64] : [1, 32, 64, 256]).map((atOnce) => ({
    atOnce,
    servers: [
      ...(['gateway', 'official', 'postgres'] as const),
      ...(!quick || atOnce === 32 ? (['slowGateway', 'slowOfficial'] as const) : []),
      ...(atOnce === 32 || atOnce === 64 ? (['postgresPair'] as const) : []),
    ],
  }));
}

function describe(server: Server, atOnce: number): string {
  return `${names[server]}, ${atOnce} at once`;
}

/** Starts the servers of a group, and warms each of them up. */
async function startGroup(
  { atOnce, servers }: Group,
  round: number,
  setup: Setup,
  { seconds, say }: BenchOptions,
): Promise<Measurements<PaidFigures>> {
  const sign = await createPaymentSigner(setup.devnet);
  const start = await prepare(setup);
  const payees = new Map<string, Payee>();
  for (const server of servers) payees.set(describe(server, atOnce), await start[server]());
  for (const payee of payees.values()) await loadPaid(payee, sign, warmUp);
  return new Map([...payees].map(([name, payee]) => [name, () => measure(name, payee)]));

  async function measure(name: string, payee: Payee): Promise<PaidFigures> {
    const figures = await loadFor(payee, sign, { atOnce, seconds });
    const { perSecond, p50Ms } = figures;
    say(`round ${round} ${name}: ${perSecond.toFixed(0)} payments/s, p50 ${p50Ms.toFixed(1)} ms`);
    return figures;
  }
}

/** Starts the slow model and PostgreSQL, and returns a function that starts each server. */
async function prepare(setup: Setup): Promise<Record<Server, () => Promise<Payee>>> {
  const postgres = await setup.startPostgres();
  const upstream = setup.keep(await startUpstream(slowModelMs));
  const slow = { suffix: `, model ${slowModelMs} ms`, upstream: upstream.url };
  return {
    gateway: () => startGatewayPayee(setup),
    official: () => startOfficialPayee(setup),
    postgres: async () => startPostgresPayee(setup, await postgres.createDatabase(), 1),
    slowGateway: () => startGatewayPayee(setup, slow),
    slowOfficial: () => startOfficialPayee(setup, slow),
    postgresPair: async () => startPostgresPayee(setup, await postgres.createDatabase(), 2),
  };
}

function row(name: string, figures: readonly PaidFigures[]): Row {
  return {
    name,
    cells: {
      'payments/s': spread(figures.map(({ perSecond }) => perSecond)),
      'p50 ms': spread(figures.map(({ p50Ms }) => p50Ms)),
      'p99 ms': spread(figures.map(({ p99Ms }) => p99Ms)),
      'CPU ms/payment': spread(figures.map(({ cpuMs }) => cpuMs)),
    },
  };
}

/** The goals by concurrency. Other concurrencies have none. */
const goals = {
  overOfficial: { 1: 2.5, 32: 8, 64: 8 } as Record<number, number>,
  overSqlite: { 32: 0.9, 64: 0.9 } as Record<number, number>,
};

function compareAll(groups: readonly Group[], of: FiguresOf): readonly Ratio[] {
  const at = (server: Server) =>
    groups.filter(({ servers }) => servers.includes(server)).map(({ atOnce }) => atOnce);
  const rates = (one: Server, other: Server, least: Record<number, number> = {}) =>
    at(one).map((atOnce) => ratio(one, other, atOnce, of, 'perSecond', least[atOnce]));
  return [
    ...rates('gateway', 'official', goals.overOfficial),
    ...at('gateway').map((atOnce) =>
      ratio('gateway', 'official', atOnce, of, 'p50Ms', atOnce === 1 ? 0.4 : undefined),
    ),
    ...at('gateway').map((atOnce) => compareTail(atOnce, of('gateway', atOnce))),
    ...rates('slowGateway', 'slowOfficial'),
    ...rates('postgres', 'gateway', goals.overSqlite),
    ...rates('postgresPair', 'postgres'),
  ];
}

function ratio(
  one: Server,
  other: Server,
  atOnce: number,
  of: FiguresOf,
  figure: 'perSecond' | 'p50Ms',
  goal: number | undefined,
): Ratio {
  const others = of(other, atOnce);
  const [unit, sign] = figure === 'perSecond' ? (['payments/s', '>='] as const) : (['p50', '<='] as const);
  return {
    name: `${names[one]} / ${names[other]}, ${atOnce} at once: ${unit}`,
    value: spread(of(one, atOnce).map((each, at) => each[figure] / (others[at]?.[figure] ?? Number.NaN))),
    ...(goal !== undefined && { goal: { sign, value: goal } }),
  };
}

function compareTail(atOnce: number, figures: readonly PaidFigures[]): Ratio {
  return {
    name: `gateway, ${atOnce} at once: p99 / p50`,
    value: spread(figures.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms)),
    goal: { sign: '<=', value: 5 },
  };
}
