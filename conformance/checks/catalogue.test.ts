import { type RequirementId, requirements } from '@paid-inference/contract/requirements';
import { describe, expect, it } from 'vitest';
import { profilesOfAll } from '../engine/scope.ts';
import { compareSections, sectionTitles } from '../report/sections.ts';
import { checks, notYetCovered } from './all.ts';

const ids = Object.keys(requirements) as readonly RequirementId[];
const checked = new Set(checks.map(({ requirement }) => requirement));

describe('checks and catalogue', () => {
  it('every requirement has a check, or is on the list of what is not covered yet', () => {
    expect(ids.filter((id) => !checked.has(id)).sort()).toEqual([...notYetCovered].sort());
  });

  it('every check is of a requirement, and under its profile', () => {
    for (const { requirement, profile } of checks) {
      expect(requirements[requirement]).toMatchObject({ profile });
    }
  });

  it('only the profile limits is not covered yet', () => {
    const profiles: readonly string[] = profilesOfAll;
    expect(notYetCovered.filter((id) => profiles.includes(requirements[id].profile))).toEqual([]);
    expect(notYetCovered.filter((id) => checked.has(id))).toEqual([]);
  });

  it('no two checks of a requirement have the same title', () => {
    const names = checks.map(({ requirement, title }) => `${requirement} ${title}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('every section has a title, and they sort by number', () => {
    const sections = [...new Set(ids.map((id) => requirements[id].section))];
    expect(sections.filter((section) => sectionTitles[section] === undefined)).toEqual([]);
    expect(['2.11', '3', '2.9', '1'].sort(compareSections)).toEqual(['1', '2.9', '2.11', '3']);
  });
});
