import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { compareSections, sectionTitles } from '../report/sections.ts';
import { networkMutants } from '../testing/chain/network-mutants.ts';
import { checks } from './all.ts';

const ids = Object.keys(requirements) as readonly RequirementId[];
const checked = new Set(checks.map(({ requirement }) => requirement));

describe('checks and catalogue', () => {
  it('have a check for every requirement', () => {
    expect(ids.filter((id) => !checked.has(id))).toEqual([]);
  });

  it('have a requirement and its profile for every check', () => {
    for (const { requirement, profile } of checks) {
      expect(requirements[requirement]).toMatchObject({ profile });
    }
  });

  it('have a mutant that only fails it for every MUST of nodes and limits', () => {
    const alone = new Set(networkMutants.flatMap(({ kills }) => (kills.length === 1 ? kills : [])));
    const owed = ids.filter((id) => {
      const { level, profile } = requirements[id];
      return level === 'MUST' && ['limits', 'chain', 'ledger'].includes(profile);
    });
    expect(owed.length).toBeGreaterThan(0);
    expect(owed.filter((id) => !alone.has(id))).toEqual([]);
  });

  it('have unique titles for the checks of a requirement', () => {
    const names = checks.map(({ requirement, title }) => `${requirement} ${title}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('have a title for every section, sorted by number', () => {
    const sections = [...new Set(ids.map((id) => requirements[id].section))];
    expect(sections.filter((section) => sectionTitles[section] === undefined)).toEqual([]);
    expect(['2.11', '3', '2.9', '1'].sort(compareSections)).toEqual(['1', '2.9', '2.11', '3']);
  });
});
