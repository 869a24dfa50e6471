import { beforeAll, describe, expect, it } from 'vitest';
import { applyPolicy } from '../engine/policy.ts';
import type { Report } from '../engine/report.ts';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { listElements, readXml } from '../testing/xml.ts';
import { byRequirement } from './by-requirement.ts';

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

describe('JUnit XML', () => {
  it('has a suite for each section and a case for each requirement, with level and profile', () => {
    for (const report of Object.values(reports)) {
      const root = readXml(written('junit.xml', report));
      const cases = listElements(root, 'testcase');
      const ids = byRequirement(report).map(({ requirement }) => requirement);
      expect(cases.map(({ attributes }) => attributes['name'])).toEqual(ids);
      expect(listElements(root, 'testsuite').length).toBe(new Set(cases.map(readClass)).size);
      expect(root.attributes['tests']).toBe(`${ids.length}`);
    }
    const [found] = findCases(reports.sound, 'offer.payTo');
    expect(found?.attributes['classname']).toBe('2.8 Payment requirements');
    const properties = found ? listElements(found, 'property') : [];
    expect(properties.map(({ attributes }) => attributes)).toEqual([
      { name: 'level', value: 'MUST' },
      { name: 'profile', value: 'free' },
      { name: 'outcome', value: 'pass' },
    ]);
  });

  it.each([
    ['a failure', 'failure', () => applyPolicy(reports.broken, {}), 'receipt.payer'],
    ['an expected failure', 'skipped', () => reports.broken, 'receipt.payer'],
    ['a stale expectation', 'failure', () => reports.broken, 'offer.payTo'],
    ['an inconclusive requirement', 'skipped', () => reports.unreached, 'offer.payTo'],
    ['a requirement out of scope', 'skipped', () => reports.pruned, 'receipt.payer'],
    ['a fault of the suite', 'error', () => withOutcome('error'), 'offer.payTo'],
    ['a warning', undefined, () => withOutcome('warn'), 'offer.payTo'],
    [
      'a warning with --strict',
      'failure',
      () => applyPolicy(withOutcome('warn'), { strict: true }),
      'offer.payTo',
    ],
    ['a pass', undefined, () => reports.sound, 'offer.payTo'],
  ] as const)('tells %s', (_, ending, report, id) => {
    const [found] = findCases(fresh(report()), id);
    const endings = ['failure', 'error', 'skipped'].filter(
      (name) => found && listElements(found, name).length > 0,
    );
    expect(endings).toEqual(ending === undefined ? [] : [ending]);
  });

  it('counts its cases', () => {
    const root = readXml(written('junit.xml', reports.broken));
    for (const [attribute, name] of [
      ['failures', 'failure'],
      ['errors', 'error'],
      ['skipped', 'skipped'],
    ] as const) {
      expect(root.attributes[attribute]).toBe(`${listElements(root, name).length}`);
    }
  });

  const findCases = (report: Report, id: string) =>
    listElements(readXml(written('junit.xml', report)), 'testcase').filter(
      ({ attributes }) => attributes['name'] === id,
    );
  const readClass = ({ attributes }: { attributes: Readonly<Record<string, string>> }) =>
    attributes['classname'];
  // A policy marks the results, so each row of the table starts with fresh ones.
  const fresh = (report: Report): Report =>
    report.expectedFailures.length > 0
      ? report
      : { ...report, results: report.results.map(({ expected: _, ...result }) => result) };
  const withOutcome = (outcome: 'error' | 'warn'): Report => ({
    ...reports.sound,
    results: reports.sound.results.map((result) =>
      result.requirement === 'offer.payTo' ? { ...result, outcome } : result,
    ),
  });
});
