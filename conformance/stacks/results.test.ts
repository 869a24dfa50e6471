import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readResults, rows, withResults } from './results.ts';
import { scenarios } from './scenarios.ts';
import { readStacks } from './stack.ts';

const page = readFileSync(new URL('../STACKS.md', import.meta.url), 'utf8');
const results = readResults();

describe('The table of STACKS.md', () => {
  it('has the results of the last written runs', () => {
    expect(withResults(page, results)).toBe(page);
  });

  it('has each stack under its present title, and no other', () => {
    const titles = (all: readonly { readonly title: string }[]) => all.map(({ title }) => title).sort();
    expect(titles(Object.values(results))).toEqual(titles(readStacks()));
  });

  it('has only cells of its rows', () => {
    const names = Object.values(results).flatMap(({ cells }) => Object.keys(cells));
    expect(names.filter((name) => !rows.includes(name))).toEqual([]);
  });

  it('stands in a page with the manifest of a stack, and the line of a client', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => JSON.parse(json ?? ''));
    const { name: _, ...manifest } = readStacks().find(({ name }) => name === 'ts-hey-api') ?? { name: '' };
    expect(blocks).toEqual([
      manifest,
      {
        scenario: 'pay-chat',
        status: 200,
        code: null,
        param: null,
        text: expect.any(String),
        txHash: expect.any(String),
      },
    ]);
  });

  it('stands in a page that explains each scenario', () => {
    const explained = [...page.matchAll(/^\| `([\w-]+)` \| /gm)].map(([, id]) => id);
    for (const { id } of scenarios)
      expect(
        explained.filter((each) => each === id),
        id,
      ).toHaveLength(2);
  });
});
