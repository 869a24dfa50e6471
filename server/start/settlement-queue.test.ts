import { describe, expect, it } from 'vitest';
import { manualClock } from '../types/clock.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import { createQueueCheck, type QueuePorts } from './settlement-queue.ts';

// D-386: the payments that wait for their settlement have a bound, in number and in time.

const clock = manualClock(unixSeconds(1_800_000_000));
const [one, other, third]: readonly [Address, Address, Address] = [nameOf(1), nameOf(2), nameOf(3)];
const behind = 'the gateway settles more slowly than it sells';

type Queue = {
  /** The payments of each payer without a transaction. */
  readonly unsent?: ReadonlyMap<Address, number>;
  /** The executed and submitted payments with one. */
  readonly sent?: number;
  readonly settled?: number;
  readonly waitsSeconds?: number;
};

/** A check with 100 payments at most, of which 10 may always wait unsent, and with five seconds of patience. */
function checkOf({ unsent = new Map(), sent = 0, settled = 0, waitsSeconds = 60 }: Queue) {
  const asked: number[] = [];
  const executed = [...unsent.values()].reduce((total, payments) => total + payments, 0);
  const byPayer = new Map([...unsent, [nameOf(9), sent]]);
  const store: QueuePorts['store'] = {
    unsettled: async () => ({ executed, byPayer }),
    async settlementQueue(settledSince) {
      asked.push(clock.steadySeconds() - settledSince);
      return { unsent, unsentSince: unixSeconds(clock.steadySeconds() - waitsSeconds), settled };
    },
  };
  const limits = { unsettledPaymentsMax: 100, unsentPaymentsMin: 10, unsentWaitMs: 5_000 };
  const ports = { store, clock, healthAgeMaxMs: 1_000, ...limits, settlementMarginSeconds: 30 };
  return { find: createQueueCheck(ports), asked };
}

describe('The bound on all payments that wait (D-386)', () => {
  it('leaves the sale to payers with less than their share, with a transaction or without', async () => {
    const { find } = checkOf({ unsent: new Map([[one, 1]]), sent: 99 });
    const issue = '100 payments wait for their settlement; sales go on below 100 (unsettledPaymentsMax)';
    expect(await find()).toBe(issue);
    expect(await find(nameOf(9))).toBe(issue);
    expect([await find(one), await find(other)]).toEqual([null, null]);
  });

  it('stops the sale for new payers too, if as many payers wait', async () => {
    const unsent = new Map(Array.from({ length: 100 }, (_, at) => [nameOf(at + 10), 1]));
    expect(await checkOf({ unsent }).find(other)).toContain('(unsettledPaymentsMax)');
  });

  it('stops nothing below the bound, nor while the store cannot count', async () => {
    expect(await checkOf({ sent: 99 }).find()).toBeNull();
    const unsettled = () => Promise.reject(new Error('away'));
    const store = { unsettled, settlementQueue: unsettled };
    const limits = { unsettledPaymentsMax: 1, unsentPaymentsMin: 1, unsentWaitMs: 1 };
    const ports = { store, clock, healthAgeMaxMs: 1_000, ...limits, settlementMarginSeconds: 30 };
    expect(await createQueueCheck(ports)()).toBeNull();
  });
});

describe('The bound on payments that wait for their first transaction (D-386)', () => {
  it('is what was settled within the margin, and what is under way', async () => {
    const { find, asked } = checkOf({ unsent: new Map([[one, 40]]), sent: 15, settled: 25 });
    expect(await find()).toBe(`40 payments wait for their first transaction, and 40 may; ${behind}`);
    expect(asked).toEqual([30]);
    expect(await checkOf({ unsent: new Map([[one, 39]]), sent: 15, settled: 25 }).find()).toBeNull();
  });

  it('is never less than the payments that may always wait', async () => {
    expect(await checkOf({ unsent: new Map([[one, 10]]) }).find()).toContain(behind);
    const few = checkOf({ unsent: new Map([[one, 9]]) });
    expect(await few.find()).toBeNull();
    expect(few.asked).toEqual([]);
  });

  it('does not count while no payment waits for long, as in a burst', async () => {
    expect(await checkOf({ unsent: new Map([[one, 99]]), waitsSeconds: 4 }).find()).toBeNull();
    expect(await checkOf({ unsent: new Map([[one, 99]]), waitsSeconds: 5 }).find()).toContain(behind);
  });

  it('leaves the sale to payers with less than their share', async () => {
    const { find } = checkOf({
      unsent: new Map([
        [one, 60],
        [other, 4],
      ]),
      settled: 12,
    });
    expect(await find(one)).toContain(behind);
    expect(await find(other)).toBeNull();
    expect(await find(third)).toBeNull();
  });

  it('stops the sale for new payers too, if as many payers wait as payments may', async () => {
    const unsent = new Map(Array.from({ length: 12 }, (_, at) => [nameOf(at + 10), 1]));
    expect(await checkOf({ unsent, settled: 12 }).find(third)).toContain(behind);
    expect(await checkOf({ unsent, settled: 12, sent: 1 }).find(third)).toBeNull();
  });
});

function nameOf(payer: number): Address {
  return `0x${payer}` as Address;
}
