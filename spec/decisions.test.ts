import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sections } from './testing/contract-text.ts';
import { decisionFiles, decisions } from './testing/decisions.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const ids = decisions.map(({ id }) => id);
const byNumber = (one: string, other: string) => Number(one.slice(2)) - Number(other.slice(2));

describe('the decision log', () => {
  it('has at least the 191 decisions of its first division into files', () => {
    expect(decisions.length).toBeGreaterThanOrEqual(191);
    expect(ids.filter((id) => !/^D-\d{2,3}$/.test(id))).toEqual([]);
  });

  it('uses no id twice', () => {
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it.each(decisionFiles)('%s orders its decisions by id', (file) => {
    const inFile = decisions.filter((decision) => decision.file === file).map(({ id }) => id);
    expect(inFile.length).toBeGreaterThan(0);
    expect(inFile).toEqual(inFile.toSorted(byNumber));
  });

  it('lists every decision in its index, by id, with title and file', () => {
    const index = readFileSync(`${root}/spec/decisions/README.md`, 'utf8');
    const rows = index.split('\n').filter((line) => line.startsWith('| D-'));
    const expected = decisions
      .toSorted((one, other) => byNumber(one.id, other.id))
      .map(({ id, title, file }) => {
        const link = relative('spec/decisions', file);
        return `| ${id} | ${title} | [${link.replace(/^(\.\.\/)+/, '')}](${link}) |`;
      });
    expect(rows).toEqual(expected);
  });
});

describe.each(decisions)('$id', ({ text }) => {
  it('has a gap, a choice, a reason, and tests', () => {
    const parts = [...text.matchAll(/^- (\w[\w ]*): /gm)].map(([, name]) => name);
    expect(parts.filter((name) => name !== 'Open')).toEqual(['Gap', 'Choice', 'Reason', 'Shown by']);
  });

  it('names sections that the contract has', () => {
    const gap = /^- Gap: (.*)$/m.exec(text)?.[1] ?? '';
    const named = [...gap.matchAll(/(?<![\w.-])(\d{1,2}(?:\.\d{1,2})?)(?![\w.-]*\d)/g)].map(
      ([, number]) => number,
    );
    expect(named.filter((number) => !sections.has(number ?? ''))).toEqual([]);
  });

  it('names tests that exist, or says that it is not built', () => {
    const shown = /^- Shown by: (.*)$/m.exec(text)?.[1] ?? '';
    const files = [...shown.matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? '');
    expect(files.filter((file) => !file.endsWith('.test.ts') || !existsSync(`${root}/${file}`))).toEqual([]);
    if (files.length === 0) expect(text).toMatch(/^- Open: not built/m);
  });

  it('cites decisions that exist', () => {
    const cited = [...text.matchAll(/\bD-\d{2,3}\b/g)].map(([id]) => id);
    expect(cited.filter((id) => !ids.includes(id))).toEqual([]);
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
  expect(cited.filter(({ id }) => !ids.includes(id))).toEqual([]);
});
