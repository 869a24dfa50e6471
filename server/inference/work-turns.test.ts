import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { countTokens } from './tokens.ts';
import { assignClient, createWorkTurns } from './work-turns.ts';

const never = new AbortController().signal;

/** Work of a given duration on a manual clock. */
function timedWork(budgetMs: number) {
  let clockMs = 0;
  const takeTurn = createWorkTurns(budgetMs, () => clockMs);
  const done: string[] = [];
  const work = (name: string, tookMs: number, signal = new AbortController().signal) =>
    takeTurn(signal, () => {
      clockMs += tookMs;
      done.push(name);
      return name;
    });
  return { work, done };
}

/** Returns the work of each turn of the event loop that had work. */
async function recordTurns(done: string[], all: Promise<unknown>): Promise<readonly string[]> {
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  const turns: string[] = [];
  while (!isOver) {
    await nextTurn();
    turns.push(done.splice(0).join());
  }
  return turns.filter((names) => names !== '');
}

/** The signal of an inference of a client. */
function signalOf(site: string, client = 'a payer'): AbortSignal {
  const { signal } = new AbortController();
  assignClient(signal, { site, client });
  return signal;
}

describe('The work of many inferences (D-200)', () => {
  it('runs in order until the time of a turn is used up', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abcdefg'].map((name) => work(name, name === 'c' ? 5 : 2)));
    expect(done).toEqual([]);
    expect(await recordTurns(done, all)).toEqual(['a,b,c', 'd,e,f', 'g']);
    expect(await all).toEqual([...'abcdefg']);
  });

  it('runs one piece in each turn when a piece takes the whole time', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abc'].map((name) => work(name, 5)));
    expect(await recordTurns(done, all)).toEqual(['a', 'b', 'c']);
  });

  it('alternates between inferences', async () => {
    const { work, done } = timedWork(1);
    const inference = async (name: string) => {
      const { signal } = new AbortController();
      for (const piece of [1, 2, 3]) await work(`${name}${piece}`, 1, signal);
    };
    const turns = await recordTurns(done, Promise.all([inference('a'), inference('b')]));
    expect(turns).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('runs one piece of each inference in a turn, so that a turn of few is short', async () => {
    const { work, done } = timedWork(50);
    const inference = async (name: string) => {
      const { signal } = new AbortController();
      for (const piece of [1, 2]) await work(`${name}${piece}`, 1, signal);
    };
    const turns = await recordTurns(done, Promise.all([inference('a'), inference('b')]));
    expect(turns).toEqual(['a1,b1', 'a2,b2']);
  });

  it('runs several short pieces of one inference in a turn, so that its short pieces do not keep others waiting', async () => {
    const { work, done } = timedWork(5);
    const inference = async (name: string, tookMs: number, pieces: number) => {
      const signal = signalOf(name);
      for (let piece = 0; piece < pieces; piece += 1) await work(name, tookMs, signal);
    };
    const all = Promise.all([inference('long', 5, 3), inference('light', 0.01, 1_000)]);
    const turns = await recordTurns(done, all);
    // A turn has twenty of them. With one in each turn, there would be a thousand turns.
    expect(turns.filter((names) => names.includes('long')).length).toBe(3);
    expect(turns.length).toBeLessThan(100);
  });

  it('fails only its own inference when it throws', async () => {
    const { work } = timedWork(5);
    const takeTurn = createWorkTurns(5);
    const broken = takeTurn(never, () => {
      throw new Error('broken');
    });
    const whole = takeTurn(never, () => 'whole');
    await expect(broken).rejects.toThrow('broken');
    expect([await whole, await work('a', 1)]).toEqual(['whole', 'a']);
  });

  it('is left out once its inference is aborted', async () => {
    const { work, done } = timedWork(5);
    const controller = new AbortController();
    const aborted = work('a', 1, controller.signal);
    controller.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    expect(done).toEqual([]);
  });
});

describe('The work of several clients (D-200)', () => {
  it.each([
    ['site', () => signalOf('flood'), signalOf('home')],
    ['payer of a site', () => signalOf('home', 'flood'), signalOf('home', 'alice')],
  ])('lets a %s with little work pass one with much', async (_, flood, alice) => {
    const { work, done } = timedWork(5);
    const all = [
      ...Array.from({ length: 20 }, (_, at) => work(`flood${at}`, 5, flood())),
      // Its pieces follow one another, and none waits for a second piece of the flood.
      work('a1', 1, alice)
        .then(() => work('a2', 1, alice))
        .then(() => work('a3', 1, alice)),
    ];
    const turns = await recordTurns(done, Promise.all(all));
    expect(turns.slice(0, 5)).toEqual(['flood0', 'a1', 'a2', 'a3,flood1', 'flood2']);
  });

  it('counts the time of inferences that ended', async () => {
    const { work, done } = timedWork(5);
    await Promise.all([work('long', 5, signalOf('flood')), work('short', 1, signalOf('home'))]);
    await Promise.all([work('flood', 1, signalOf('flood')), work('home', 1, signalOf('home'))]);
    expect(done).toEqual(['long', 'short', 'home', 'flood']);
  });

  afterEach(() => void vi.useRealTimers());

  it('leaves as much time free after a piece of more than a turn', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { work, done } = timedWork(5);
    await work('a', 50);
    const next = work('b', 1);
    await vi.advanceTimersByTimeAsync(49);
    for (const _ of [1, 2, 3]) await nextTurn();
    expect(done).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await next).toBe('b');
  });
});

it('does not tokenize 250 concurrent prompts in one turn (D-200)', async () => {
  // Each prompt has another text, because the tokenizer caches pieces.
  const ideograph = (number: number) => String.fromCharCode(0x4e00 + ((number * 7_919) % 20_000));
  const makeText = (at: number) =>
    Array.from({ length: 2_000 }, (_, place) => ideograph(place + 13 * at)).join('');
  let counted = 0;
  const all = Promise.all(
    Array.from({ length: 250 }, async (_, at) => {
      await countTokens([makeText(at)], never);
      counted++;
    }),
  );
  let mostInTurn = 0;
  for (let before = 0; counted < 250; before = counted) {
    await nextTurn();
    mostInTurn = Math.max(mostInTurn, counted - before);
  }
  await all;
  expect(mostInTurn).toBeLessThan(125);
});
