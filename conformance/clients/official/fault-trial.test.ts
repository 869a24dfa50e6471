import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultTrial, openFaultTrial } from './fault-trial.ts';
import { faultCases } from './faults.ts';

// The client is a development dependency, so nothing is installed.
const folder = fileURLToPath(new URL('.', import.meta.url));
const client = { name: '@x402/fetch', command: [process.execPath, 'buy.mjs', '@x402/fetch'] };
const findCase = (name: string) => faultCases.filter((each) => each.name === name);

let trial: FaultTrial;
beforeAll(async () => {
  trial = await openFaultTrial(folder);
});
afterAll(() => trial.close(), 30_000);

describe('A published client at the gateway (D-275)', () => {
  it.each([
    ['none', 1, 1],
    ['close before', 1, 1],
    ['503 during', 1, 1],
    ['`settlement_pending`', 1, 1],
    // The gateway delivered the response, and the client marks no retry (D-259).
    ['500 after', 2, 1],
  ])('is charged as the table counts it: %s', async (name, payments, completions) => {
    const measured = await trial.run(client, findCase(name));
    expect(measured).toEqual({ [name]: { payments, completions, dialects: ['x402 v2'] } });
  });

  it('has neither payment nor completion if its program buys nothing', async () => {
    const idle = { name: 'idle', command: [process.execPath, '-e', 'process.exit(1)'] };
    expect(await trial.run(idle, findCase('none'))).toEqual({
      none: { payments: 0, completions: 0, dialects: [] },
    });
  });
});
