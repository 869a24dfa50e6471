import { describe, expect, it } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import type { SumsSince } from '../store/reader.ts';
import { manualClock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { createFacts, type FixedFacts } from './facts.ts';

const start = 1_800_000_000;
const token = { address: `0x${'11'.repeat(20)}` as Address, name: 'Dollar' };
const fixed: FixedFacts = {
  gateway: 'https://gateway.example',
  version: '1.0.0',
  token,
  payTo: `0x${'22'.repeat(20)}` as Address,
  settledBy: 'relayers',
  proofLedger: { chainId: 31_740, contract: `0x${'33'.repeat(20)}` as Address },
  attestation: { provider: 'software', hardware: false },
  models: [],
  devnetPayer: null,
};

function createReading(
  readSums: () => Promise<SumsSince | null>,
  decimals: () => Result<unknown, never> | ReturnType<typeof down>,
) {
  const clock = manualClock(start);
  const asked = { decimals: 0, since: [] as number[] };
  const rpc: Rpc = {
    async call<T>() {
      asked.decimals++;
      return decimals() as Result<T, never>;
    },
  };
  const read = createFacts(fixed, {
    rpc,
    clock,
    readSums(since) {
      asked.since.push(since);
      return readSums();
    },
  });
  return { clock, asked, read };
}

/** Some payments that the chain settled, one of them finally, and one that it did not settle. */
function settledAndOthers(payments: number, isAtLeast: boolean): SumsSince {
  const sums = new Map([
    ['settled', { payments: payments - 1, amount: 1n }],
    ['final', { payments: 1, amount: 1n }],
    ['released', { payments: 7, amount: 1n }],
  ] as const);
  return { sums, isAtLeast };
}

const down = () => fail({ kind: 'unavailable' as const, message: 'no response' });
const six = () => ok(`0x${'6'.padStart(64, '0')}`);

describe('The facts of the page', () => {
  it('have the payments of the last 24 hours, and read them once a minute', async () => {
    let payments = 3;
    const { clock, asked, read } = createReading(async () => settledAndOthers(payments, false), six);
    const [one] = await Promise.all([read(), read()]);
    expect(one).toMatchObject({
      settled: { payments: 3, isAtLeast: false, hours: 24 },
      token: { ...token, decimals: 6 },
    });
    payments = 4;
    clock.advance(60);
    expect((await read()).settled?.payments).toBe(3);
    clock.advance(1);
    expect((await read()).settled?.payments).toBe(4);
    expect(asked.since).toEqual([start - 86_400, start + 61 - 86_400]);
    expect(asked.decimals).toBe(1);
  });

  it('are there without store and node, which are asked again a minute later', async () => {
    let isUp = false;
    const { clock, read } = createReading(
      async () => {
        if (!isUp) throw new Error('the store is down');
        return settledAndOthers(1, true);
      },
      () => (isUp ? six() : down()),
    );
    expect(await read()).toMatchObject({ settled: null, token: { decimals: null } });
    isUp = true;
    expect(await read()).toMatchObject({ settled: null, token: { decimals: null } });
    clock.advance(61);
    expect(await read()).toMatchObject({ settled: { payments: 1, isAtLeast: true }, token: { decimals: 6 } });
  });

  it.each(['0x', '0x06', `0x${'f'.repeat(64)}`, null])('ignore decimals that are none: %s', async (value) => {
    const { read } = createReading(
      async () => null,
      () => ok(value),
    );
    expect((await read()).token.decimals).toBeNull();
  });
});
