import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { BenchOptions, Ratio, Report, Row, Section } from '../section.ts';
import { loadPaid, type PaidFigures, type Payee } from '../targets/paid-load.ts';
import { startGatewayPayee, startOfficialPayee, startPostgresPayee } from '../targets/payees.ts';
import { createPaymentSigner } from '../targets/payments.ts';
import { installPeers, startUpstream } from '../targets/peers.ts';
import { openSetup, type Setup } from '../targets/setup.ts';

const slowModelMs = 200;

/** More payments a second than any target reached. A target that uses up its payments ends its round early. */
const perSecondMost = 1_200;

export const paid: Section = { id: 'b', title: 'Paid requests', run };

type Slice = { readonly payee: Payee; readonly atOnce: number };
type Payees = Awaited<ReturnType<typeof startPayees>>;
type FiguresOf = (payee: Payee, atOnce: number) => readonly PaidFigures[];

async function run({ rounds, seconds, quick, say }: BenchOptions): Promise<Report> {
  installPeers(say);
  await using setup = await openSetup();
  const payees = await startPayees(setup);
  const sign = await createPaymentSigner(setup.devnet);
  const concurrencies = quick ? [1, 32, 64] : [1, 32, 64, 256];
  const slices: readonly Slice[] = [
    ...across([payees.gateway, payees.official, payees.postgres], concurrencies),
    ...across([payees.slowGateway, payees.slowOfficial], quick ? [32] : concurrencies),
    ...across([payees.postgresPair], [32, 64]),
  ];
  const measured = await interleave(slices, rounds, async ({ payee, atOnce }, round) => {
    const time = round === 0 ? Math.min(1, seconds) : seconds;
    const payments = Math.ceil(perSecondMost * time);
    const figures = await loadPaid(payee, sign, { atOnce, payments, seconds: time });
    const { perSecond, p50Ms } = figures;
    say(
      `round ${round} ${payee.name}, ${atOnce} at once: ${perSecond.toFixed(0)} payments/s, p50 ${p50Ms.toFixed(1)} ms`,
    );
    return figures;
  });
  const of: FiguresOf = (payee, atOnce) =>
    measured.get(slices.find((slice) => slice.payee === payee && slice.atOnce === atOnce) as Slice) ?? [];
  return {
    id: paid.id,
    title: paid.title,
    method: `Clients send signed chat requests and wait for the completion with its receipt. All servers settle on the same devnet, which mines each transaction at once. The model responds at once, or is an upstream that takes ${slowModelMs} ms. The store is a SQLite file where no other one is named. The connections to two processes alternate.`,
    rows: slices.map(({ payee, atOnce }) => row(`${payee.name}, ${atOnce} at once`, of(payee, atOnce))),
    ratios: compareAll(payees, slices, of),
    chart: { bars: 'payments/s' },
  };
}

/** The slices with the same concurrency follow each other. */
function across(payees: readonly Payee[], concurrencies: readonly number[]): readonly Slice[] {
  return concurrencies.flatMap((atOnce) => payees.map((payee) => ({ payee, atOnce })));
}

async function startPayees(setup: Setup) {
  const postgres = await setup.startPostgres();
  const upstream = setup.keep(await startUpstream(slowModelMs));
  const slow = { suffix: `, model ${slowModelMs} ms`, upstream: upstream.url };
  return {
    gateway: await startGatewayPayee(setup),
    official: await startOfficialPayee(setup),
    postgres: await startPostgresPayee(setup, await postgres.createDatabase(), 1),
    slowGateway: await startGatewayPayee(setup, slow),
    slowOfficial: await startOfficialPayee(setup, slow),
    postgresPair: await startPostgresPayee(setup, await postgres.createDatabase(), 2),
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

function compareAll(payees: Payees, slices: readonly Slice[], of: FiguresOf): readonly Ratio[] {
  const { gateway, official, postgres, postgresPair, slowGateway, slowOfficial } = payees;
  const at = (payee: Payee) => slices.filter((slice) => slice.payee === payee).map(({ atOnce }) => atOnce);
  const rates = (one: Payee, other: Payee, least: Record<number, number> = {}) =>
    at(one).map((atOnce) => ratio(one, other, atOnce, of, 'perSecond', least[atOnce]));
  return [
    ...rates(gateway, official, goals.overOfficial),
    ...at(gateway).map((atOnce) =>
      ratio(gateway, official, atOnce, of, 'p50Ms', atOnce === 1 ? 0.4 : undefined),
    ),
    ...at(gateway).map((atOnce) => compareTail(atOnce, of(gateway, atOnce))),
    ...rates(slowGateway, slowOfficial),
    ...rates(postgres, gateway, goals.overSqlite),
    ...rates(postgresPair, postgres),
  ];
}

function ratio(
  one: Payee,
  other: Payee,
  atOnce: number,
  of: FiguresOf,
  figure: 'perSecond' | 'p50Ms',
  goal: number | undefined,
): Ratio {
  const others = of(other, atOnce);
  const [unit, sign] = figure === 'perSecond' ? (['payments/s', '>='] as const) : (['p50', '<='] as const);
  return {
    name: `${one.name} / ${other.name}, ${atOnce} at once: ${unit}`,
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
