import { readFileSync } from 'node:fs';
import { paymentDomainFields } from '@paid-inference/contract/eip712';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { type Requirement, requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { sections } from '../testing/contract-text.ts';
import { decisions } from '../testing/decisions.ts';

const catalogue = Object.entries<Requirement>(requirements);
const published = readFileSync(new URL('./ids.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

describe('the words of a requirement', () => {
  it.each(catalogue)('%s quotes the section that it names', (_id, { section, quote }) => {
    expect(sections.get(section) ?? `no section ${section}`).toContain(quote);
  });

  it.each(catalogue)('%s says no more than the contract does', (_id, { level, quote, decision }) => {
    if (level === 'OBSERVED') expect(decision, 'a gap is filled by a decision').toMatch(/^D-\d{2,3}$/);
    else expect(quote, 'what is not shown binds nobody').not.toMatch(/not shown/i);
  });

  it.each(catalogue.filter(([, { decision }]) => decision !== undefined))(
    '%s names a decision of the log',
    (_id, { decision }) => {
      expect(decisions.map(({ id }) => id)).toContain(decision);
    },
  );
});

describe('the id of a requirement', () => {
  const words = /^[a-z0-9]+(-[a-z0-9]+)*$/;
  const fields = new Set([...fieldNames(document), ...paymentDomainFields.map(({ name }) => name)]);

  it.each(catalogue)('%s is dotted: lower-case words, or a field in its own spelling', (id) => {
    const strange = id.split('.').filter((part) => !words.test(part) && !fields.has(part));
    expect(strange).toEqual([]);
    expect(id.split('.').length).toBeGreaterThan(1);
  });

  it('is never renamed and never given up: ids.txt only grows', () => {
    const ids = catalogue.map(([id]) => id);
    expect(published.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('is written down in ids.txt, in order and once', () => {
    const ids = catalogue.map(([id]) => id);
    expect(ids.filter((id) => !published.includes(id))).toEqual([]);
    expect(published).toEqual([...new Set(published)].sort());
  });
});

/** Every name that stands under `properties` anywhere in a document. */
function fieldNames(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : []),
    ...fieldNames(value),
  ]);
}
