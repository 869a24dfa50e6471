import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBannedNames, readReplacements } from './scripts/glossary.ts';
import { namedSources, sqlSources } from './scripts/sources.ts';

const glossary = readFileSync(new URL('GLOSSARY.md', import.meta.url), 'utf8');
const replacements = readReplacements(glossary);

describe('The glossary', () => {
  it('has at most 60 words, each once and with one sentence', () => {
    const rows = glossary.split('\n').filter((line) => /^\| (?!word |---)/.test(line));
    const words = rows.map((row) => row.split('|')[1]?.trim());
    expect(rows.length).toBeLessThanOrEqual(60);
    expect(new Set(words).size).toBe(rows.length);
    for (const row of rows) expect(row.split('|')[2]?.trim()).toMatch(/^[A-Z`][^.]*[^.]\.$/);
  });

  it('bans no word that it uses itself', () => {
    expect(replacements.length).toBeGreaterThan(10);
    for (const { banned, use } of replacements) expect(use).not.toContain(banned);
  });

  it('has no banned word in the names of the sources', () => {
    const sources = [...namedSources, ...sqlSources];
    expect(sqlSources.length).toBeGreaterThan(10);
    expect(sources.flatMap((source) => findBannedNames(source, replacements))).toEqual([]);
  });
});

describe('A name with a banned word', () => {
  const found = (text: string, path = 'server/relayer/nonce.ts') =>
    findBannedNames({ path, text }, replacements);

  it.each([
    ['const lane = 1;', 'lane'],
    ['export type RelayerLanes = {};', 'RelayerLanes'],
    ['let a = { keeper_file: 1 };', 'keeper_file'],
    ['const chatAnswers = [];', 'chatAnswers'],
  ])('in %s is reported', (text, name) => {
    expect(found(text)).toEqual([expect.stringContaining(`the name "${name}" has the word`)]);
  });

  it('in a path is reported with the word to use', () => {
    expect(found('', 'server/settlement/purse.ts')).toEqual([
      'server/settlement/purse.ts: the name "purse" has the word "purse"; use "gas balance".',
    ]);
  });

  it('in SQL is reported, and not inside a comment or a string', () => {
    const sql = (text: string) => found(text, 'server/store/postgres/functions/submit.sql');
    expect(sql('UPDATE payment SET lane = NULL')).toEqual([expect.stringContaining('the name "lane"')]);
    expect(sql("-- the lane\nSELECT 'lane'")).toEqual([]);
  });

  it('is not reported inside another word, a comment or a string', () => {
    expect(found("// the lane\nconst plane = 'lane', doors2 = `lane`;")).toEqual([]);
  });
});
