import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { runTrial } from './trial.ts';

const seed = randomInt(1, 1_000_000);

it(`records every proof exactly once when the gateway is killed while it sells (seed ${seed})`, async () => {
  const told: string[] = [];
  const findings = await runTrial({ requests: 24, kills: 1, seed, tell: (line) => told.push(line) });
  expect(findings, told.join('\n')).toMatchObject({
    answered: 24,
    settled: 24,
    leaves: 24,
    accepted: 24,
    faults: [],
  });
}, 90_000);
