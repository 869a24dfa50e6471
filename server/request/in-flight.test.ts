import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInFlight, type InFlight } from './in-flight.ts';

/** Work whose end the test controls, with a count of its runs. */
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
  it('run the work once; all get the result, and all but the first get `joined`', async () => {
    const all = Array.from({ length: 50 }, () => inFlight.join('key', 'same', here(), work.run));
    expect([work.ends.length, inFlight.size]).toEqual([1, 1]);
    work.ends[0]?.resolve('response');
    const results = await Promise.all(all);
    expect(results[0]).toEqual({ result: 'response', key: 'key', joined: false });
    expect(results.slice(1)).toEqual(Array(49).fill({ result: 'response', key: 'key', joined: true }));
    expect(inFlight.size).toBe(0);
  });

  it('with another fingerprint get null and do not affect the work', async () => {
    const first = inFlight.join('key', 'same', here(), work.run);
    expect(await inFlight.join('key', 'other', here(), work.run)).toBeNull();
    expect([work.ends.length, work.signals[0]?.aborted]).toEqual([1, false]);
    work.ends[0]?.resolve('response');
    expect(await first).toEqual({ result: 'response', key: 'key', joined: false });
  });

  it('with other keys run separately', async () => {
    const [a, b] = ['a', 'b'].map((key) => inFlight.join(key, 'same', here(), work.run));
    expect(inFlight.size).toBe(2);
    work.ends[1]?.resolve('of b');
    work.ends[0]?.resolve('of a');
    expect([await a, await b]).toMatchObject([{ result: 'of a' }, { result: 'of b' }]);
  });

  it('run again after the work has ended', async () => {
    const first = inFlight.join('key', 'same', here(), work.run);
    work.ends[0]?.resolve('first');
    await first;
    const second = inFlight.join('key', 'other', here(), work.run);
    work.ends[1]?.resolve('second');
    expect(await second).toEqual({ result: 'second', key: 'key', joined: false });
  });
});

describe('D-258: requests with other keys and the same purchase', () => {
  const join = (key: string, purchase: string, fingerprint = 'same', left = here()) =>
    inFlight.join(key, fingerprint, left, work.run, purchase);

  it('share the work of the first, and learn its key', async () => {
    const all = ['a', 'b', 'c'].map((key) => join(key, 'bought'));
    expect([work.ends.length, inFlight.size]).toEqual([1, 1]);
    work.ends[0]?.resolve('response');
    const [first, ...others] = await Promise.all(all);
    expect(first).toEqual({ result: 'response', key: 'a', joined: false });
    expect(others).toEqual(Array(2).fill({ result: 'response', key: 'a', joined: true }));
  });

  it('run separately with another purchase, another fingerprint, or none', () => {
    void join('a', 'bought');
    void join('b', 'other');
    void join('c', 'bought', 'other');
    void inFlight.join('d', 'same', here(), work.run);
    expect(work.ends).toHaveLength(4);
  });

  it('keep the work until the last of them leaves', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    void join('a', 'bought', 'same', one.signal);
    void join('b', 'bought', 'same', other.signal);
    one.abort();
    expect(work.signals[0]?.aborted).toBe(false);
    other.abort();
    expect(work.signals[0]?.aborted).toBe(true);
  });

  it('run again after the work has ended', async () => {
    const first = join('a', 'bought');
    work.ends[0]?.resolve('first');
    await first;
    void join('b', 'bought');
    expect(work.ends).toHaveLength(2);
  });
});

describe('D-22: callers that leave', () => {
  it('cancel the work only when the last one leaves', async () => {
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

  it('may be joined by others while one still waits', async () => {
    const [early, late] = [new AbortController(), new AbortController()];
    const first = inFlight.join('key', 'same', early.signal, work.run);
    const second = inFlight.join('key', 'same', late.signal, work.run);
    early.abort();
    const third = inFlight.join('key', 'same', here(), work.run);
    late.abort();
    expect(work.signals[0]?.aborted).toBe(false);
    work.ends[0]?.resolve('response');
    expect(await Promise.all([first, second, third])).toHaveLength(3);
    expect(work.ends).toHaveLength(1);
  });

  it('get `left` at once if they had joined, so that their bodies need no memory (D-432)', async () => {
    const first = inFlight.join('key', 'same', here(), work.run);
    const client = new AbortController();
    const second = inFlight.join('key', 'same', client.signal, work.run);
    expect(await inFlight.join('key', 'same', AbortSignal.abort(), work.run)).toBe('left');
    client.abort();
    expect(await second).toBe('left');
    work.ends[0]?.resolve('response');
    expect(await first).toMatchObject({ joined: false });
  });
  it('before the call count as having left', () => {
    void inFlight.join('key', 'same', AbortSignal.abort(), work.run);
    expect(work.signals[0]?.aborted).toBe(true);
  });

  it('after the end have no effect', async () => {
    const caller = new AbortController();
    const done = inFlight.join('key', 'same', caller.signal, work.run);
    work.ends[0]?.resolve('response');
    await done;
    caller.abort();
    expect(work.signals[0]?.aborted).toBe(false);
  });

  it('do not cancel the work of the next caller, which waits for the end and starts its own', async () => {
    const first = new AbortController();
    const cancelled = inFlight.join('key', 'same', first.signal, work.run);
    first.abort();
    const again = [1, 2].map(() => inFlight.join('key', 'same', here(), work.run));
    expect(work.ends).toHaveLength(1);
    work.ends[0]?.reject(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await expect.poll(() => work.ends.length).toBe(2);
    expect(work.signals[1]?.aborted).toBe(false);
    work.ends[1]?.resolve('response');
    expect(await Promise.all(again)).toEqual([
      { result: 'response', key: 'key', joined: false },
      { result: 'response', key: 'key', joined: true },
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

  it('fails for all callers and leaves no entry', async () => {
    const all = Array.from({ length: 5 }, () => inFlight.join('key', 'same', here(), work.run));
    work.ends[0]?.reject(new Error('broken'));
    const settled = await Promise.allSettled(all);
    expect(settled.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(inFlight.size).toBe(0);
    const next = inFlight.join('key', 'other', here(), work.run);
    work.ends[1]?.resolve('response');
    expect(await next).toEqual({ result: 'response', key: 'key', joined: false });
  });

  it('after all callers left causes no unhandled rejection', async () => {
    const caller = new AbortController();
    const mine = inFlight.join('key', 'same', caller.signal, work.run).catch(() => 'told to the caller');
    caller.abort();
    work.ends[0]?.reject(new Error('broken'));
    expect(await mine).toBe('told to the caller');
    await inFlight.idle();
    // Node reports unhandled rejections after the microtasks.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});

describe('Work with a rest', () => {
  it('returns its result at once, and counts and may be joined until `rest` ends', async () => {
    const rest = Promise.withResolvers<void>();
    const first = inFlight.join('key', 'same', here(), work.run);
    inFlight.outlive('key', rest.promise);
    work.ends[0]?.resolve('response');
    expect(await first).toEqual({ result: 'response', key: 'key', joined: false });
    expect(await inFlight.join('key', 'same', here(), work.run)).toEqual({
      result: 'response',
      key: 'key',
      joined: true,
    });
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

  it('starts again after `rest` when all callers have left', async () => {
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
    work.ends[1]?.resolve('response');
    expect(await second).toEqual({ result: 'response', key: 'key', joined: false });
  });
});

describe('Work that is kept (D-272)', () => {
  it('is not cancelled when all callers leave, and may be joined then', async () => {
    const caller = new AbortController();
    const first = inFlight.join('key', 'same', caller.signal, work.run);
    inFlight.keep('key');
    caller.abort();
    expect(work.signals[0]?.aborted).toBe(false);
    const second = inFlight.join('key', 'same', here(), work.run);
    work.ends[0]?.resolve('response');
    expect(await first).toMatchObject({ joined: false });
    expect(await second).toEqual({ result: 'response', key: 'key', joined: true });
    expect(work.ends).toHaveLength(1);
  });

  it('stays cancelled when all callers left before', async () => {
    const caller = new AbortController();
    void inFlight.join('key', 'same', caller.signal, work.run);
    caller.abort();
    inFlight.keep('key');
    expect(work.signals[0]?.aborted).toBe(true);
  });
});

describe('idle', () => {
  it('resolves at once without work in progress', async () => {
    await inFlight.idle();
    expect(inFlight.size).toBe(0);
  });

  it('resolves after the last work, including work begun meanwhile and work that fails', async () => {
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

it('ended resolves when the work of a key has ended, also when it fails, and at once without work', async () => {
  const order: string[] = [];
  await inFlight.ended('key');
  void inFlight.join('key', 'same', here(), work.run).catch(() => order.push('failed'));
  const ended = inFlight.ended('key').then(() => order.push('ended'));
  await inFlight.ended('other');
  expect(order).toEqual([]);
  work.ends[0]?.reject(new Error('broken'));
  await ended;
  expect([order.toSorted(), inFlight.size]).toEqual([['ended', 'failed'], 0]);
});
