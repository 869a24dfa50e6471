import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { countTokens } from './tokens.ts';
import { createWorkTurns } from './work-turns.ts';

/** Work of a given duration on a manual clock. */
function timedWork(budgetMs: number) {
  let clockMs = 0;
  const takeTurn = createWorkTurns(budgetMs, () => clockMs);
  const done: string[] = [];
  const work = (name: string, tookMs: number) =>
    takeTurn(() => {
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

describe('The work of many inferences (D-200)', () => {
  it('runs in order until the time of a turn is used up', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abcdefg'].map((name) => work(name, name === 'c' ? 7 : 2)));
    expect(done).toEqual([]);
    expect(await recordTurns(done, all)).toEqual(['a,b,c', 'd,e,f', 'g']);
    expect(await all).toEqual([...'abcdefg']);
  });

  it('runs one piece in each turn when a piece takes the whole time', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abc'].map((name) => work(name, 50)));
    expect(await recordTurns(done, all)).toEqual(['a', 'b', 'c']);
  });

  it('alternates between inferences', async () => {
    const { work, done } = timedWork(1);
    const inference = async (name: string) => {
      for (const piece of [1, 2, 3]) await work(`${name}${piece}`, 1);
    };
    const turns = await recordTurns(done, Promise.all([inference('a'), inference('b')]));
    expect(turns).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('fails only its own inference when it throws', async () => {
    const { work } = timedWork(5);
    const takeTurn = createWorkTurns(5);
    const broken = takeTurn(() => {
      throw new Error('broken');
    });
    const whole = takeTurn(() => 'whole');
    await expect(broken).rejects.toThrow('broken');
    expect([await whole, await work('a', 1)]).toEqual(['whole', 'a']);
  });
});

it('does not tokenize 250 concurrent prompts in one turn (D-200)', async () => {
  // Each prompt has another text, because the tokenizer caches pieces.
  const ideograph = (number: number) => String.fromCharCode(0x4e00 + ((number * 7_919) % 20_000));
  const makeText = (at: number) =>
    Array.from({ length: 2_000 }, (_, place) => ideograph(place + 13 * at)).join('');
  let counted = 0;
  const never = new AbortController().signal;
  const all = Promise.all(
    Array.from({ length: 250 }, async (_, at) => {
      await countTokens([makeText(at)], never);
      counted++;
    }),
  );
  const countedInTurn: number[] = [];
  for (let before = 0; counted < 250; before = counted) {
    await nextTurn();
    countedInTurn.push(counted - before);
  }
  await all;
  expect(Math.max(...countedInTurn)).toBeLessThan(125);
});
