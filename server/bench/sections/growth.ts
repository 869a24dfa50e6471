import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { residentMB } from '../measure/processor.ts';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Ratio, Report, Row, Section } from '../section.ts';
import { dropFileCache, fillStore } from '../targets/filled-store.ts';
import { startGatewayTarget } from '../targets/gateway.ts';
import { loadPaid, type PaidFigures } from '../targets/paid-load.ts';
import { createPaymentSigner, type SignedPayload } from '../targets/payments.ts';
import { openSetup, type Setup } from '../targets/setup.ts';

const sizes = [1_000, 100_000, 1_000_000, 10_000_000];
const atOnce = 32;
/** Few, so that the smallest store stays small, and the devnet stays fast. */
const payments = { cold: 64, warm: 256 };
/** A start reads the whole store. */
const readyMsMax = 30 * 60_000;

export const growth: Section = { id: 'f', title: 'Growth of the store', run };

type Grown = {
  readonly stored: number;
  readonly path: string;
  readonly fileMB: number;
  readonly target: Target;
};
type Figures = { readonly cold: PaidFigures; readonly warm: PaidFigures; readonly memoryMB: number };

async function run({ rounds, quick, say }: BenchOptions): Promise<Report> {
  await using setup = await openSetup();
  const sign = await createPaymentSigner(setup.devnet);
  const grown = await growStores(setup, { sizes: quick ? sizes.slice(0, 3) : sizes, sign, say });
  const measured = await interleave(grown, rounds, async (each, round) => {
    const figures = await measure(each, sign);
    say(
      `round ${round} ${each.stored} stored payments: p50 ${figures.warm.p50Ms.toFixed(1)} ms warm, ${figures.cold.p50Ms.toFixed(1)} ms cold`,
    );
    return figures;
  });
  const of = (each: Grown | undefined) => (each === undefined ? [] : (measured.get(each) ?? []));
  const [least, most] = [grown[0], grown.at(-1)];
  const compare = (state: 'cold' | 'warm'): Ratio => ({
    name: `gateway, ${most?.stored} / ${least?.stored} stored payments: p50 ${state}`,
    value: spread(
      of(most).map((figures, at) => figures[state].p50Ms / (of(least)[at]?.[state].p50Ms ?? Number.NaN)),
    ),
    goal: { sign: '<=', value: 1.2 },
  });
  return {
    id: growth.id,
    title: growth.title,
    method: `${atOnce} payments at once to gateways whose SQLite stores were filled with final payments and their proofs. Each round sends ${payments.cold} payments after the operating system forgot the file (cold), and then ${payments.warm} more (warm).`,
    rows: grown.map((each) => row(each, of(each))),
    ratios: [compare('warm'), compare('cold')],
    chart: { lines: ['warm p50 ms', 'cold p50 ms', 'memory MB', 'file MB'] },
  };
}

/** Fills one store after the other: each begins as a copy of the smaller one before it. */
async function growStores(
  setup: Setup,
  options: {
    readonly sizes: readonly number[];
    readonly sign: () => SignedPayload;
    readonly say: (line: string) => void;
  },
): Promise<readonly Grown[]> {
  let last = await makeFirstStore(setup, options.sign);
  const stores: Omit<Grown, 'target'>[] = [];
  for (const stored of options.sizes) {
    const path = storePath(setup, `gateway-${stored}`);
    for (const part of ['', '.key']) copyFileSync(`${last}${part}`, `${path}${part}`);
    const startedAt = performance.now();
    fillStore(path, stored);
    const fileMB = statSync(path).size / 1_000_000;
    options.say(
      `${stored} payments take ${fileMB.toFixed(1)} MB, filled in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
    );
    stores.push({ stored, path, fileMB });
    last = path;
  }
  const grown: Grown[] = [];
  for (const store of stores) {
    const [name, ledger] = [`gateway-${store.stored}`, await setup.startLedger()];
    const target = setup.keep(await startGatewayTarget({ ...setup, name, ledger, readyMsMax }));
    options.say(`${store.stored} stored payments: ready after ${target.readyMs.toFixed(0)} ms`);
    grown.push({ ...store, target });
  }
  return grown;
}

/** A store with the payments of a real gateway, which has stopped. Returns its file. */
async function makeFirstStore(setup: Setup, sign: () => SignedPayload): Promise<string> {
  const name = 'gateway-first';
  const target = await startGatewayTarget({ ...setup, name });
  try {
    await loadPaid({ name, targets: [target] }, sign, { atOnce: 8, payments: 64 });
  } finally {
    await target.stop();
  }
  const path = storePath(setup, name);
  // Moves the log into the file, which is copied alone.
  fillStore(path, 1);
  return path;
}

function storePath({ folder }: Setup, name: string): string {
  return join(folder, `${name}.db`);
}

async function measure({ path, stored, target }: Grown, sign: () => SignedPayload): Promise<Figures> {
  const payee = { name: String(stored), targets: [target] };
  for (const file of [path, `${path}-wal`]) dropFileCache(file);
  const cold = await loadPaid(payee, sign, { atOnce, payments: payments.cold });
  const warm = await loadPaid(payee, sign, { atOnce, payments: payments.warm });
  return { cold, warm, memoryMB: residentMB(target.pid) ?? Number.NaN };
}

function row({ stored, fileMB, target }: Grown, figures: readonly Figures[]): Row {
  return {
    name: `gateway, ${stored} stored payments`,
    cells: {
      'warm p50 ms': spread(figures.map(({ warm }) => warm.p50Ms)),
      'warm p99 ms': spread(figures.map(({ warm }) => warm.p99Ms)),
      'cold p50 ms': spread(figures.map(({ cold }) => cold.p50Ms)),
      'cold p99 ms': spread(figures.map(({ cold }) => cold.p99Ms)),
      'memory MB': spread(figures.map(({ memoryMB }) => memoryMB)),
      'file MB': spread([fileMB]),
      'start to ready ms': spread([target.readyMs]),
    },
  };
}
