import { randomInt } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { scenarios } from './all.ts';
import { runScenarios } from './run.ts';
import type { Findings, Scenario } from './scenario.ts';

// Runs the fast scenarios of `npm run test:faults`, each with its own processes, three at a time.
const seed = randomInt(1, 1_000_000);
const parallel = 3;
const togetherMs = 400_000;
const fast = scenarios.filter(({ fast }) => fast !== undefined);
let found: ReadonlyMap<Scenario, Findings>;

beforeAll(async () => {
  const all = await runScenarios(fast, { seed, parallel });
  found = new Map(all.map((findings) => [findings.scenario, findings]));
}, togetherMs);

describe(`real faults, seed ${seed}`, () => {
  it.for(fast)('$fast', (scenario) => {
    const findings = found.get(scenario);
    expect(findings?.faults, findings?.log).toEqual([]);
  });
});
