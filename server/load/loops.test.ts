import { expect, it } from 'vitest';
import { runClosedLoop, runOpenLoop } from './loops.ts';
import type { Pace } from './pace.ts';

/** A clock that moves only while somebody waits. */
function manualPace(startMs = 0): Pace & { moveTo(ms: number): void } {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    wait: async (ms) => {
      nowMs += ms;
    },
    moveTo: (ms) => {
      nowMs = ms;
    },
  };
}

it('an open loop sends at equal distances, also while no request ends', async () => {
  const pace = manualPace(500);
  const due: number[] = [];
  const never = new Promise<void>(() => undefined);
  const send = (dueMs: number) => {
    due.push(dueMs);
    return never;
  };
  const end = await runOpenLoop({ perSecond: 10, seconds: 0.5, inFlightMax: 99 }, send, pace);
  expect(due).toEqual([500, 600, 700, 800, 900]);
  expect(end).toMatchObject({ sent: 5, notSent: 0, endedAtMs: 900 });
});

it('an open loop that is late sends what is due, and each request keeps its time', async () => {
  const pace = manualPace();
  const due: number[] = [];
  const send = async (dueMs: number) => {
    due.push(dueMs);
    // The first request keeps the driver busy for 250 ms.
    if (dueMs === 0) pace.moveTo(250);
  };
  await runOpenLoop({ perSecond: 10, seconds: 0.4, inFlightMax: 99 }, send, pace);
  expect(due).toEqual([0, 100, 200, 300]);
  expect(pace.nowMs()).toBe(300);
});

it('an open loop counts the arrivals beyond its bound, and sends none of them later', async () => {
  const pace = manualPace();
  const ends: (() => void)[] = [];
  const send = () => new Promise<void>((resolve) => void ends.push(resolve));
  const end = await runOpenLoop({ perSecond: 10, seconds: 1, inFlightMax: 3 }, send, pace);
  expect([end.sent, end.notSent, ends.length]).toEqual([3, 7, 3]);
  for (const finish of ends) finish();
  await end.rest;
});

it('a closed loop sends the next request after a response, until its time is over', async () => {
  const pace = manualPace();
  let [inFlight, most, sent] = [0, 0, 0];
  const send = async () => {
    sent += 1;
    inFlight += 1;
    most = Math.max(most, inFlight);
    await pace.wait(100);
    inFlight -= 1;
  };
  await runClosedLoop({ atOnce: 2, seconds: 1 }, send, pace);
  // Each of the two moves the clock by 100 ms for each request.
  expect([most, sent]).toEqual([2, 10]);
});
