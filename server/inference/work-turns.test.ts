import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { countTokens } from './tokens.ts';
import { createWorkTurns } from './work-turns.ts';

/** Work that takes so long by a clock of its own. */
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

/** What was done in each turn of the event loop that had work. */
async function turnsOf(done: string[], all: Promise<unknown>): Promise<readonly string[]> {
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

describe('D-200: work of many inferences', () => {
  it('is done in order, until the time of a turn is over', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abcdefg'].map((name) => work(name, name === 'c' ? 7 : 2)));
    expect(done).toEqual([]);
    expect(await turnsOf(done, all)).toEqual(['a,b,c', 'd,e,f', 'g']);
    expect(await all).toEqual([...'abcdefg']);
  });

  it('is done piece by piece where one piece takes the whole time', async () => {
    const { work, done } = timedWork(5);
    const all = Promise.all([...'abc'].map((name) => work(name, 50)));
    expect(await turnsOf(done, all)).toEqual(['a', 'b', 'c']);
  });

  it('lets each inference have its next piece behind those of the others', async () => {
    const { work, done } = timedWork(1);
    const inference = async (name: string) => {
      for (const piece of [1, 2, 3]) await work(`${name}${piece}`, 1);
    };
    const turns = await turnsOf(done, Promise.all([inference('a'), inference('b')]));
    expect(turns).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('that throws fails its own inference alone', async () => {
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

it('D-200: 250 prompts that come together are not all tokenized in one turn', async () => {
  // Each another text, for the tokenizer remembers pieces.
  const ideograph = (number: number) => String.fromCharCode(0x4e00 + ((number * 7_919) % 20_000));
  const textOf = (at: number) =>
    Array.from({ length: 2_000 }, (_, place) => ideograph(place + 13 * at)).join('');
  let counted = 0;
  const never = new AbortController().signal;
  const all = Promise.all(
    Array.from({ length: 250 }, async (_, at) => {
      await countTokens([textOf(at)], never);
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
