import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInFlight, type InFlight } from './in-flight.ts';

/** Work that ends when the test says so, and counts how often it was begun. */
function createWork() {
  const signals: AbortSignal[] = [];
  const ends: PromiseWithResolvers<string>[] = [];
  const run = (everybodyLeft: AbortSignal) => {
    const end = Promise.withResolvers<string>();
    signals.push(everybodyLeft);
    ends.push(end);
    return end.promise;
  };
  return { run, signals, ends };
}

const here = () => new AbortController().signal;
let inFlight: InFlight<string>;
let work: ReturnType<typeof createWork>;

beforeEach(() => {
  inFlight = createInFlight();
  work = createWork();
});

describe('D-19: identical requests', () => {
  it('are one work, whose result everybody gets; all but the first are told that they joined', async () => {
    const all = Array.from({ length: 50 }, () => inFlight.join('key', 'same', here(), work.run));
    expect([work.ends.length, inFlight.size]).toEqual([1, 1]);
    work.ends[0]?.resolve('answer');
    const results = await Promise.all(all);
    expect(results[0]).toEqual({ result: 'answer', joined: false });
    expect(results.slice(1)).toEqual(Array(49).fill({ result: 'answer', joined: true }));
    expect(inFlight.size).toBe(0);
  });

  it('with another fingerprint get nothing, and leave the work alone', async () => {
    const first = inFlight.join('key', 'same', here(), work.run);
    expect(await inFlight.join('key', 'other', here(), work.run)).toBeNull();
    expect([work.ends.length, work.signals[0]?.aborted]).toEqual([1, false]);
    work.ends[0]?.resolve('answer');
    expect(await first).toEqual({ result: 'answer', joined: false });
  });

  it('with other keys are works of their own', async () => {
    const [a, b] = ['a', 'b'].map((key) => inFlight.join(key, 'same', here(), work.run));
    expect(inFlight.size).toBe(2);
    work.ends[1]?.resolve('of b');
    work.ends[0]?.resolve('of a');
    expect([await a, await b]).toMatchObject([{ result: 'of a' }, { result: 'of b' }]);
  });

  it('after the work has ended begin anew', async () => {
    const first = inFlight.join('key', 'same', here(), work.run);
    work.ends[0]?.resolve('first');
    await first;
    const second = inFlight.join('key', 'other', here(), work.run);
    work.ends[1]?.resolve('second');
    expect(await second).toEqual({ result: 'second', joined: false });
  });
});

describe('D-22: callers that leave', () => {
  it('end the work when they were the last, and not before', async () => {
    const callers = Array.from({ length: 3 }, () => new AbortController());
    const all = callers.map(({ signal }) => inFlight.join('key', 'same', signal, work.run));
    callers[0]?.abort();
    callers[1]?.abort();
    expect(work.signals[0]?.aborted).toBe(false);
    callers[2]?.abort();
    expect(work.signals[0]?.aborted).toBe(true);
    work.ends[0]?.resolve('cancelled');
    await Promise.all(all);
    expect(inFlight.size).toBe(0);
  });

  it('may be followed by others while one still waits', async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    const first = inFlight.join('key', 'same', early.signal, work.run);
    const second = inFlight.join('key', 'same', late.signal, work.run);
    early.abort();
    const third = inFlight.join('key', 'same', here(), work.run);
    late.abort();
    expect(work.signals[0]?.aborted).toBe(false);
    work.ends[0]?.resolve('answer');
    expect(await Promise.all([first, second, third])).toHaveLength(3);
    expect(work.ends).toHaveLength(1);
  });

  it('before they came count as left', () => {
    void inFlight.join('key', 'same', AbortSignal.abort(), work.run);
    expect(work.signals[0]?.aborted).toBe(true);
  });

  it('after the end change nothing', async () => {
    const caller = new AbortController();
    const done = inFlight.join('key', 'same', caller.signal, work.run);
    work.ends[0]?.resolve('answer');
    await done;
    caller.abort();
    expect(work.signals[0]?.aborted).toBe(false);
  });

  it('do not take the next one down with them: it waits for the end of the cancelled work and gets its own', async () => {
    const first = new AbortController();
    const cancelled = inFlight.join('key', 'same', first.signal, work.run);
    first.abort();
    const again = [1, 2].map(() => inFlight.join('key', 'same', here(), work.run));
    expect(work.ends).toHaveLength(1);
    work.ends[0]?.reject(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await expect.poll(() => work.ends.length).toBe(2);
    expect(work.signals[1]?.aborted).toBe(false);
    work.ends[1]?.resolve('answer');
    expect(await Promise.all(again)).toEqual([
      { result: 'answer', joined: false },
      { result: 'answer', joined: true },
    ]);
  });
});

describe('Work that fails', () => {
  const unhandled: unknown[] = [];
  const note = (cause: unknown) => unhandled.push(cause);
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
  });
  afterEach(() => void process.off('unhandledRejection', note));

  it('fails for everybody and leaves nothing behind', async () => {
    const all = Array.from({ length: 5 }, () => inFlight.join('key', 'same', here(), work.run));
    work.ends[0]?.reject(new Error('broken'));
    const settled = await Promise.allSettled(all);
    expect(settled.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(inFlight.size).toBe(0);
    const next = inFlight.join('key', 'other', here(), work.run);
    work.ends[1]?.resolve('answer');
    expect(await next).toEqual({ result: 'answer', joined: false });
  });

  it('after everybody left is nobody’s unhandled rejection beside the callers’ own', async () => {
    const caller = new AbortController();
    const mine = inFlight.join('key', 'same', caller.signal, work.run).catch(() => 'told to the caller');
    caller.abort();
    work.ends[0]?.reject(new Error('broken'));
    expect(await mine).toBe('told to the caller');
    await inFlight.idle();
    // Node tells of an unhandled rejection once the microtasks are through.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});

describe('Work with a rest', () => {
  it('tells its result at once, and is joined and counted until the rest is over', async () => {
    const rest = Promise.withResolvers<void>();
    const first = inFlight.join('key', 'same', here(), work.run);
    inFlight.outlive('key', rest.promise);
    work.ends[0]?.resolve('answer');
    expect(await first).toEqual({ result: 'answer', joined: false });
    expect(await inFlight.join('key', 'same', here(), work.run)).toEqual({ result: 'answer', joined: true });
    expect(inFlight.size).toBe(1);
    let isIdle = false;
    const idle = inFlight.idle().then(() => {
      isIdle = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isIdle).toBe(false);
    rest.reject(new Error('broken'));
    await idle;
    expect(inFlight.size).toBe(0);
  });

  it('that everybody left is done anew after the rest, not before', async () => {
    const rest = Promise.withResolvers<void>();
    const caller = new AbortController();
    const first = inFlight.join('key', 'same', caller.signal, work.run);
    inFlight.outlive('key', rest.promise);
    caller.abort();
    work.ends[0]?.resolve('cancelled');
    await first;
    const second = inFlight.join('key', 'same', here(), work.run);
    await new Promise((resolve) => setImmediate(resolve));
    expect(work.ends).toHaveLength(1);
    rest.resolve();
    await expect.poll(() => work.ends.length).toBe(2);
    work.ends[1]?.resolve('answer');
    expect(await second).toEqual({ result: 'answer', joined: false });
  });
});

describe('idle', () => {
  it('ends at once when nothing is under way', async () => {
    await inFlight.idle();
    expect(inFlight.size).toBe(0);
  });

  it('ends with the last work, those begun meanwhile and those that fail included', async () => {
    const ended: string[] = [];
    void inFlight.join('a', 'same', here(), work.run);
    const idle = inFlight.idle().then(() => ended.push('idle'));
    const failing = inFlight.join('b', 'same', here(), work.run).catch(() => ended.push('b'));
    work.ends[0]?.resolve('of a');
    await expect.poll(() => inFlight.size).toBe(1);
    expect(ended).toEqual([]);
    work.ends[1]?.reject(new Error('broken'));
    await Promise.all([idle, failing]);
    expect(ended.toSorted()).toEqual(['b', 'idle']);
  });
});
