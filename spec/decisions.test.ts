import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sections } from './testing/contract-text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const log = readFileSync(new URL('./decisions.md', import.meta.url), 'utf8');
const entries = log
  .split(/^## /m)
  .slice(1)
  .map((entry) => [/^D-\d{2,3}/.exec(entry)?.[0] ?? entry.slice(0, 5), entry] as const);
const ids = new Set(entries.map(([id]) => id));

describe('the decision log', () => {
  it('numbers its entries from D-01 on, in order and none twice', () => {
    const inOrder = entries.map(([id]) => id);
    expect(inOrder[0]).toBe('D-01');
    expect(inOrder).toEqual([...ids].sort((one, other) => Number(one.slice(2)) - Number(other.slice(2))));
    expect(entries.length).toBeGreaterThanOrEqual(33);
  });

  it.each(entries)('%s says gap, choice, reason, and what shows it', (_id, entry) => {
    const parts = [...entry.matchAll(/^- (\w[\w ]*): /gm)].map(([, name]) => name);
    expect(parts.filter((name) => name !== 'Open')).toEqual(['Gap', 'Choice', 'Reason', 'Shown by']);
  });

  it.each(entries)('%s names sections that the contract has', (_id, entry) => {
    const gap = /^- Gap: (.*)$/m.exec(entry)?.[1] ?? '';
    const named = [...gap.matchAll(/(?<![\w.-])(\d{1,2}(?:\.\d{1,2})?)(?![\w.-]*\d)/g)].map(
      ([, number]) => number,
    );
    expect(named.filter((number) => !sections.has(number ?? ''))).toEqual([]);
  });

  it.each(entries)('%s is shown by tests that are there, or says what is open', (_id, entry) => {
    const shown = /^- Shown by: (.*)$/m.exec(entry)?.[1] ?? '';
    const files = [...shown.matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? '');
    expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(`${root}/${file}`))).toEqual([]);
    if (files.length === 0) expect(entry).toMatch(/^- Open: not built/m);
  });
});

it('every decision that a source cites is in the log', () => {
  const folders = ['spec', 'generated', 'server', 'client', 'conformance'];
  const files = folders.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsp|sol)$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  );
  const cited = files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/\bD-\d{2,3}\b/g)].map(([id]) => ({ file, id })),
  );
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ id }) => !ids.has(id))).toEqual([]);
});
