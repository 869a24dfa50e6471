import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from './all.ts';
import { allMutants, checkedIds, faultsOfTables, isKilledAlone, mutantsOf } from './alone.ts';
import { notAlone } from './not-alone.ts';
import { portMutants } from './reference/mutants.ts';
import { unresponsiveDeployments } from './unresponsive.ts';
import { legalVariants } from './variants/all.ts';

const contract = readFileSync(new URL('../../spec/gateway-interface.txt', import.meta.url), 'utf8');

describe('the tables', () => {
  it('hold eighty mutants and twenty-five legal variants, and many more', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(80);
    expect(legalVariants.length).toBeGreaterThanOrEqual(25);
  });

  it('give each of them an id of its own and a sentence', () => {
    const all = [...mutants, ...portMutants, ...legalVariants, ...unresponsiveDeployments];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, does } of all) {
      expect(id).toMatch(/^[a-z][\w.-]+$/);
      expect(does).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it('change what they say that they change', () => {
    for (const { id, place, edge } of mutants) expect(Object.keys(edge()), id).toContain(place);
  });

  it('quote the words of the contract that leave a legal variant open', () => {
    const strangers = legalVariants.filter(({ open }) => !contract.includes(open));
    expect(strangers.map(({ id, open }) => `${id}: ${open}`)).toEqual([]);
  });

  it('have a mutant that each MUST kills alone, or a reason', () => {
    expect(faultsOfTables()).toEqual([]);
  });

  it('have a mutant for each SHOULD', () => {
    const ids = [...new Set(allMutants.flatMap(({ kills }) => kills))];
    const shoulds = checkedIds('SHOULD');
    expect(shoulds.length).toBeGreaterThan(1);
    expect(shoulds.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

it('are counted in the readme as they stand', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [broken, musts] = [allMutants.length, checkedIds('MUST').length];
  for (const line of [
    `| broken gateways | ${broken} | ${broken} found by exactly what they break; 0 by something else, 0 not at all |`,
    `| legal variants | ${legalVariants.length} | 0 false positives`,
    `| deployments that give no answers | ${unresponsiveDeployments.length} | ${unresponsiveDeployments.length} neither failed nor green`,
    `Of the ${musts} MUST requirements ${musts - notAlone.length} have`,
    `why the other ${notAlone.length} cannot`,
  ]) {
    expect(readme).toContain(line);
  }
});

describe('what the tables owe', () => {
  const [first = 'offer.scheme'] = checkedIds('MUST');

  it('is a mutant for a MUST that nothing kills alone', () => {
    const without = allMutants.filter(({ kills }) => !isKilledAlone(kills, first));
    expect(faultsOfTables(without)).toEqual([`${first}: no mutant kills it alone, and no reason says why`]);
  });

  it('is a reason that holds: none for what a mutant kills alone, or kills without its companions', () => {
    const [reason] = notAlone;
    if (!reason) throw new Error('there is no reason to look at');
    const { requirement } = reason;
    const alone = { id: 'new', kills: [requirement] };
    expect(faultsOfTables([...allMutants, alone])).toEqual([
      `${requirement}: a mutant kills it alone, so its reason is stale`,
    ]);
    const beside = { id: 'new', kills: [requirement, 'offer.scheme'] } as const;
    expect(faultsOfTables([...allMutants, beside])).toEqual([
      `${requirement}: new kills it without ${reason.failsWith.join(', ')}`,
    ]);
  });
});

it('names the mutants of a requirement, those that it kills alone first', () => {
  const [first, ...others] = mutantsOf('offer.scheme');
  expect(allMutants.find(({ id }) => id === first)?.kills).toEqual(['offer.scheme']);
  expect(others).toContain('offer-under-accepts');
});
