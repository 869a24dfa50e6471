import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toolRuns } from './runs.ts';
import { replaceToolTable } from './table.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'PROXY.md'), 'utf8');

it('PROXY.md has a row for each run of a tool, with the pinned version and the expected payments', () => {
  const payments = toolRuns.map((run) => run.payments);
  expect(replaceToolTable(page, payments)).toBe(page);
  expect(replaceToolTable(page, payments.with(0, 2))).not.toBe(page);
});

it('a page without the marks is an error', () => {
  expect(() => replaceToolTable('# Proxy', [])).toThrow('no place for the table of tools');
});
