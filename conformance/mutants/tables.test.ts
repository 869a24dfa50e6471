import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mutants } from './all.ts';
import { allMutants, checkedIds, findTableFaults, isKilledAlone, listMutants } from './alone.ts';
import { notAlone } from './not-alone.ts';
import { portMutants } from './reference/mutants.ts';
import { unresponsiveDeployments } from './unresponsive.ts';
import { legalVariants } from './variants/all.ts';

const contract = readFileSync(new URL('../../spec/gateway-interface.txt', import.meta.url), 'utf8');

describe('the tables', () => {
  it('have at least 80 mutants and 25 legal variants', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(80);
    expect(legalVariants.length).toBeGreaterThanOrEqual(25);
  });

  it('give each entry a unique id and a description', () => {
    const all = [...mutants, ...portMutants, ...legalVariants, ...unresponsiveDeployments];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, does } of all) {
      expect(id).toMatch(/^[a-z][\w.-]+$/);
      expect(does).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it('declare the part of the edge that each mutant changes', () => {
    for (const { id, place, edge } of mutants) expect(Object.keys(edge()), id).toContain(place);
  });

  it('quote the words of the contract that allow each legal variant', () => {
    const unquoted = legalVariants.filter(({ open }) => !contract.includes(open));
    expect(unquoted.map(({ id, open }) => `${id}: ${open}`)).toEqual([]);
  });

  it('have a mutant that breaks each MUST alone, or a reason why none can', () => {
    expect(findTableFaults()).toEqual([]);
  });

  it('have a mutant for each SHOULD', () => {
    const ids = [...new Set(allMutants.flatMap(({ kills }) => kills))];
    const shoulds = checkedIds('SHOULD');
    expect(shoulds.length).toBeGreaterThan(1);
    expect(shoulds.filter((id) => !ids.includes(id))).toEqual([]);
  });
});

it('the pages have the current counts', () => {
  const top = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(top).toContain(`${allMutants.length} mutants and ${legalVariants.length} correct gateways`);
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [broken, musts] = [allMutants.length, checkedIds('MUST').length];
  for (const line of [
    `| mutants | ${broken} | ${broken} failed exactly the requirements that they break; 0 failed others, 0 failed none |`,
    `| legal variants | ${legalVariants.length} | 0 false positives`,
    `| unresponsive deployments | ${unresponsiveDeployments.length} | ${unresponsiveDeployments.length} neither failed nor passed`,
    `Of the ${musts} MUST requirements ${musts - notAlone.length} have`,
    `why the other ${notAlone.length} cannot`,
  ]) {
    expect(readme).toContain(line);
  }
});

describe('a fault of the tables', () => {
  const [first = 'offer.scheme'] = checkedIds('MUST');

  it('is a MUST that no mutant breaks alone', () => {
    const without = allMutants.filter(({ kills }) => !isKilledAlone(kills, first));
    expect(findTableFaults(without)).toEqual([
      `${first}: no mutant breaks this requirement alone, and it has no reason`,
    ]);
  });

  it('is a reason for a requirement that a mutant breaks alone, or without the requirements of the reason', () => {
    const [reason] = notAlone;
    if (!reason) throw new Error('notAlone has no entry.');
    const { requirement } = reason;
    const alone = { id: 'new', kills: [requirement] };
    expect(findTableFaults([...allMutants, alone])).toEqual([
      `${requirement}: a mutant breaks this requirement alone, so its reason is stale`,
    ]);
    const beside = { id: 'new', kills: [requirement, 'offer.scheme'] } as const;
    expect(findTableFaults([...allMutants, beside])).toEqual([
      `${requirement}: new breaks this requirement without ${reason.failsWith.join(', ')}`,
    ]);
  });
});

it('lists the mutants of a requirement, those that break no other first', () => {
  const [first, ...others] = listMutants('offer.scheme');
  expect(allMutants.find(({ id }) => id === first)?.kills).toEqual(['offer.scheme']);
  expect(others).toContain('offer-under-accepts');
});
