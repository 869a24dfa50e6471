import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientRequirements } from '../clients/catalogue.ts';
import { faultCases, publishedFaults } from '../clients/official/faults.ts';
import { publishedVerdicts } from '../clients/official/verdicts.ts';
import { withClientTables } from './clients.ts';

it('CLIENTS.md has the tables of scenarios, requirements and mutants', () => {
  const page = readFileSync(new URL('../CLIENTS.md', import.meta.url), 'utf8');
  expect(page).toContain('| `once.reset` | MUST | The client pays once after a reset connection.');
  expect(withClientTables(page)).toBe(page);
});

it('the published verdicts are of the present requirements', () => {
  const known = clientRequirements.map(({ id }) => id);
  const musts = clientRequirements.filter(({ level }) => level === 'MUST').map(({ id }) => id);
  expect(publishedVerdicts.length).toBeGreaterThan(0);
  for (const { must, failed, warned, open, unstreamed } of publishedVerdicts) {
    expect([...failed, ...warned, ...open, ...unstreamed].filter((id) => !known.includes(id))).toEqual([]);
    expect(must.total).toBe(musts.filter((id) => !unstreamed.includes(id)).length);
  }
});

it('the published faults are of the clients with a verdict, and each purchase of a client that can buy has one completion', () => {
  expect(publishedFaults.map(({ client }) => client)).toEqual(publishedVerdicts.map(({ client }) => client));
  for (const { client, cells } of publishedFaults) {
    expect(Object.keys(cells).sort(), client).toEqual(faultCases.map(({ name }) => name).sort());
    const wanted = (name: string) => (name.endsWith(' after') ? /^[12], 1$/ : /^1, 1$/);
    for (const [name, cell] of Object.entries(cells))
      expect(cell, `${client}, ${name}`).toMatch(cells['none'] === '0, 0' ? /^0, 0$/ : wanted(name));
  }
});

it("OpenAI's SDK buys over x402-fetch only with plain headers (D-356)", () => {
  const over = publishedFaults.filter(({ client }) => client.includes('over x402-fetch'));
  expect(over.map(({ client, cells }) => [client.endsWith(', plain headers'), cells['none']])).toEqual([
    [false, '0, 0'],
    [true, '1, 1'],
  ]);
});

it('a page without the marks is an error', () => {
  expect(() => withClientTables('# Clients')).toThrow('the page must contain <!-- begin: variables');
});
