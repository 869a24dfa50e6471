import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { clientRequirements } from '../catalogue.ts';
import { systemClock } from '../clock.ts';
import { judgeClient } from '../judge.ts';
import type { ClientReport } from '../report.ts';
import { createBuyer } from './buyer.ts';
import { type Habits, lawful } from './habits.ts';
import { clientMutants } from './table.ts';

const ports = {
  nowSeconds: () => Math.floor(systemClock().getTime() / 1000),
  // The gateways of the suite need no pause.
  waitSeconds: () => delay(5),
};

async function judge(
  habits: Habits,
  isHasty = false,
  buyer = createBuyer(habits, ports),
): Promise<ClientReport> {
  const timing = isHasty ? { silenceSeconds: 2 } : { silenceSeconds: 0.5, isParallel: true };
  const judged = await judgeClient({ command: ['mutant'], buyer, ...timing });
  if (!judged.ok) throw new Error(judged.usage);
  return judged.report;
}

function listIds({ results }: ClientReport, ...outcomes: readonly string[]): readonly string[] {
  return results
    .filter(({ outcome }) => outcomes.includes(outcome))
    .map(({ id }) => id)
    .sort();
}

describe('The verdict of', () => {
  it('a lawful client passes every requirement', async () => {
    const report = await judge(lawful);
    expect(report.results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0 });
  });

  it('a lawful client that never streams has no verdict on streams, and conforms', async () => {
    const streaming = createBuyer(lawful, ports);
    const report = await judge(lawful, false, (purchase) => streaming({ ...purchase, isStreamed: false }));
    const streamed = ({ scenario }: ClientReport['results'][number]) =>
      scenario?.startsWith('stream') ?? false;
    const total = report.results.filter((each) => each.level === 'MUST' && !streamed(each)).length;
    expect(listIds(report, 'not-applicable')).toEqual(
      report.results
        .filter(streamed)
        .map(({ id }) => id)
        .sort(),
    );
    expect(report).toMatchObject({ verdict: 'conformant', exitCode: 0, must: { verified: total, total } });
  });

  it.each(clientMutants)('the mutant $id, which $does, names exactly its faults', async (mutant) => {
    const report = await judge(mutant.habits(), mutant.isHasty);
    expect(listIds(report, 'fail', 'warn')).toEqual([...mutant.breaks].sort());
    if (!mutant.hidesOthers) expect(listIds(report, 'inconclusive', 'error')).toEqual([]);
  });

  it('a client that buys nothing is not a pass of the refusals', async () => {
    const nothing = clientMutants.find(({ id }) => id === 'pays-nothing');
    const report = await judge(nothing?.habits() ?? lawful);
    expect(listIds(report, 'pass')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'non-conformant', exitCode: 1 });
  });
});

it('every requirement has a mutant that breaks it', () => {
  const broken = new Set(clientMutants.flatMap(({ breaks }) => breaks));
  const known = clientRequirements.map(({ id }) => id);
  expect(known.filter((id) => !broken.has(id))).toEqual([]);
  expect([...broken].filter((id) => !known.includes(id))).toEqual([]);
  expect(new Set(known).size).toBe(known.length);
});
