import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { condition } from './conditions.ts';
import { storeVersion } from './functions.ts';

const folder = new URL('./functions/', import.meta.url);
const files = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(new URL(name, folder), 'utf8'),
}));

it.each(files)('$name has a comment at its head and the function of its name', ({ name, text }) => {
  expect(text).toMatch(/^-- [A-Z]/);
  const functions = [...text.matchAll(/^CREATE FUNCTION (\w+)/gm)].map(([, found]) => `${found}.sql`);
  expect(functions).toEqual([name]);
});

it('raises only the conditions that the driver knows, and each of them', () => {
  const raised = files.flatMap(({ text }) => text.match(/PI\d{3}(?=')/g) ?? []);
  expect([...new Set(raised)].sort()).toEqual(Object.values(condition).sort());
});

it('has a new version for each change of a function', () => {
  const code = files.map(({ text }) => text.replaceAll(/^\s*--.*\n/gm, '')).sort();
  const digest = createHash('sha256').update(code.join('')).digest('hex').slice(0, 16);
  // After a change of a function, add a migration and write its number and the new digest here (D-380).
  expect({ version: storeVersion, digest }).toEqual({ version: 19, digest: '02e7ebd04b2ace63' });
});
