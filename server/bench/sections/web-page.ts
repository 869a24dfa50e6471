import { join } from 'node:path';
import { interleave } from '../measure/rounds.ts';
import { spread } from '../measure/statistics.ts';
import type { Target } from '../measure/target.ts';
import type { BenchOptions, Report, Section } from '../section.ts';
import { startGatewayTarget } from '../targets/gateway.ts';
import { openSetup, type Setup } from '../targets/setup.ts';
import { measureUnpaid, type UnpaidFigures, unpaidConnections } from './unpaid.ts';

/** Two equal processes differ by some percent, because V8 compiles them at different moments. */
const processes = 3;

export const webPage: Section = { id: 'k', title: 'The web page on and off', run };

async function run({ rounds, seconds, say }: BenchOptions): Promise<Report> {
  await using setup = await openSetup();
  const [on, off]: [Target[], Target[]] = [[], []];
  for (let each = 1; each <= processes; each++) {
    on.push(await start(setup, `page on, process ${each}`, true));
    off.push(await start(setup, `page off, process ${each}`, false));
  }
  const targets = on.flatMap((target, at) => [target, off[at] as Target]);
  const measured = await interleave(targets, rounds * 2, async (target, round) => {
    const figures = await measureUnpaid(target, seconds / 2);
    say(`round ${round} ${target.name}: ${figures.perSecond.toFixed(0)} responses/s`);
    return figures;
  });
  const of = (target: Target) => measured.get(target) ?? [];
  /** The sum over the processes of a kind, for each round. */
  const sums = (kind: readonly Target[], figure: (of: UnpaidFigures) => number) =>
    Array.from({ length: rounds * 2 }, (_, at) =>
      kind.reduce((sum, target) => sum + figure(of(target)[at] as UnpaidFigures), 0),
    );
  const ratio = (figure: (of: UnpaidFigures) => number) => {
    const without = sums(off, figure);
    return spread(sums(on, figure).map((sum, at) => sum / (without[at] ?? Number.NaN)));
  };
  return {
    id: 'k',
    title: webPage.title,
    method: `${unpaidConnections} connections send a chat request without payment to ${processes} gateways with the web page, and to ${processes} with \`WEB_PAGE=false\`. A ratio compares the sums of the ${processes} in each round.`,
    rows: targets.map((target) => ({
      name: target.name,
      cells: {
        'responses/s': spread(of(target).map(({ perSecond }) => perSecond)),
        'CPU µs/response': spread(of(target).map(({ cpuUs }) => cpuUs)),
      },
    })),
    ratios: [
      {
        name: 'page on / page off: responses/s',
        value: ratio(({ perSecond }) => perSecond),
        goal: { sign: '>=', value: 0.97 },
      },
      { name: 'page on / page off: CPU of a response', value: ratio(({ cpuUs }) => cpuUs) },
    ],
    chart: { bars: 'responses/s' },
  };
}

async function start(setup: Setup, name: string, hasPage: boolean): Promise<Target> {
  const store = { DATABASE_FILE: join(setup.folder, `${name}.db`), WEB_PAGE: String(hasPage) };
  const ledger = await setup.startLedger();
  return setup.keep(await startGatewayTarget({ ...setup, name, ledger, store }));
}
