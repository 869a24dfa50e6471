import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { commandText, hostileText } from '../../testing/hostile.ts';
import { findSchemaFaults } from '../../testing/report-schema.ts';
import { listElements, readText, readXml } from '../../testing/xml.ts';
import type { Outcome } from '../../types/verdict.ts';
import { clientRequirements, scenarios } from '../catalogue.ts';
import schema from '../report.schema.json' with { type: 'json' };
import { type ClientReport, createClientReport } from '../report.ts';
import { clientFormats } from './formats.ts';
import { renderClientText } from './text.ts';

const colours = pc.createColors(false);

/** A report in which the named requirements have other outcomes than pass. */
function makeReport(outcomes: Readonly<Record<string, Outcome>>, text = 'found'): ClientReport {
  return createClientReport({
    command: ['node', text],
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1_500,
    deadlineSeconds: 60,
    silenceSeconds: 5,
    isInterrupted: false,
    spentUnits: '2500',
    results: clientRequirements.map(({ scenario = null, ...each }) => ({
      ...each,
      scenario,
      outcome: outcomes[each.id] ?? 'pass',
      detail: outcomes[each.id] === undefined ? '' : text,
    })),
    scenarios: scenarios.map(({ id, gateway }) => ({
      id,
      gateway,
      payments: 2,
      signatures: 3,
      completions: 1,
      exitCodes: [0],
      isOverdue: false,
      requests: [`0.0 s: POST ${text}`],
      output: text,
    })),
  });
}

const broken = makeReport({
  'once.reset': 'fail',
  'recovers.reset': 'warn',
  'buys.twice': 'inconclusive',
  'signs.value': 'error',
});

const written = (path: string, report: ClientReport) => clientFormats.renderFor(path)?.(report) ?? '';

describe('the verdict', () => {
  it.each([
    ['conformant', 0, {}],
    ['conformant-with-warnings', 0, { 'recovers.reset': 'warn' }],
    ['non-conformant', 1, { 'once.reset': 'fail', 'buys.twice': 'inconclusive' }],
    ['incomplete', 3, { 'buys.twice': 'inconclusive' }],
    ['suite-error', 4, { 'once.reset': 'fail', 'signs.value': 'error' }],
  ] as const)('%s has exit code %i', (verdict, exitCode, outcomes) => {
    expect(makeReport(outcomes)).toMatchObject({ verdict, exitCode });
  });

  it('counts the MUST requirements of the run', () => {
    const must = clientRequirements.filter(({ level }) => level === 'MUST').length;
    expect(broken.must).toEqual({ verified: must - 3, total: must });
    const unstreamed = makeReport({ 'buys.stream': 'not-applicable', 'once.cut': 'disabled' });
    expect(unstreamed.must).toEqual({ verified: must - 2, total: must - 2 });
    expect(renderClientText(unstreamed, colours, false)).toContain(
      `${must - 2} MUST verified · 1 not applicable`,
    );
  });
});

describe('the text', () => {
  it('shows the counts, the findings with their requests, and the exit code last', () => {
    const lines = renderClientText(broken, colours, false).split('\n');
    expect(lines).toContain('  reset                2         3           1            0');
    const at = lines.findIndex((line) => line.includes('✗ once.reset'));
    expect(lines.slice(at, at + 5)).toEqual([
      '  ✗ once.reset  MUST: The client pays once after a reset connection.',
      '      fail: found',
      expect.stringMatching(/^ {6}source: contract §4\.4/),
      '      the gateway settles and resets the connection',
      '      0.0 s: POST found',
    ]);
    expect(lines.filter((line) => line.includes('buys.plain'))).toEqual([]);
    expect(lines.join('\n')).toContain('cannot be determined: found');
    expect(lines.at(-2)).toBe('Exit code 4: the suite itself failed.');
  });

  it('shows every requirement with --verbose', () => {
    const text = renderClientText(broken, colours, true);
    for (const { id } of clientRequirements) expect(text).toContain(` ${id}  `);
  });

  it('has no line that begins with text of the client', () => {
    const text = renderClientText(
      makeReport({ 'once.reset': 'fail' }, commandText + hostileText),
      colours,
      false,
    );
    expect(text).not.toMatch(/^::|##\[|\u202e/m);
    expect(text).not.toContain('\u001b');
  });
});

describe('a report file', () => {
  it('in JSON matches its schema with every outcome', () => {
    const outcomes = { 'buys.stream': 'not-applicable', 'once.cut': 'disabled' } as const;
    for (const report of [broken, makeReport(outcomes)])
      expect(findSchemaFaults(schema, written('report.json', report))).toEqual([]);
    const otherVersion = JSON.stringify({ ...broken, schemaVersion: 2 });
    expect(findSchemaFaults(schema, otherVersion)).not.toEqual([]);
    const { verdict: _, ...rest } = broken;
    expect(findSchemaFaults(schema, JSON.stringify(rest))).not.toEqual([]);
    expect(findSchemaFaults(schema, JSON.stringify({ ...broken, added: 1 }))).toHaveLength(1);
  });

  it('in JUnit XML has a suite for each scenario and a case for each requirement', () => {
    const root = readXml(written('junit.xml', broken));
    const cases = listElements(root, 'testcase');
    expect(cases.length).toBe(clientRequirements.length);
    expect(root.attributes).toMatchObject({
      tests: `${cases.length}`,
      failures: '1',
      errors: '1',
      skipped: '1',
    });
    const failed = cases.filter((each) => listElements(each, 'failure').length > 0);
    expect(failed.map(({ attributes }) => attributes['name'])).toEqual(['once.reset']);
  });

  it('in HTML shows the verdict and the findings, the worst first', () => {
    const root = readXml(written('report.html', broken));
    const text = readText(root);
    expect(text).toContain('FAULT OF THE SUITE: ');
    expect(text.indexOf('signs.value')).toBeLessThan(text.indexOf('once.reset'));
    expect(text).toContain('cannot be determined');
  });

  it('in Markdown has rows of one width', () => {
    const blocks = written('summary.md', broken).split('\n\n');
    const tables = blocks.filter((block) => block.startsWith('|'));
    expect(tables.length).toBe(2);
    for (const table of tables) {
      expect(
        new Set(
          table
            .trim()
            .split('\n')
            .map((row) => row.split('|').length),
        ).size,
      ).toBe(1);
    }
  });

  it('in JSON is the report', () => {
    expect(JSON.parse(written('report.json', broken))).toEqual(JSON.parse(JSON.stringify(broken)));
  });

  it.each(['report.html', 'junit.xml', 'summary.md'])('%s treats text of the client as text', (path) => {
    const text = written(path, makeReport({ 'once.reset': 'fail' }, hostileText));
    expect(text).not.toContain('<script');
    expect(text).not.toContain('<img');
  });

  it('needs a known ending', () => {
    expect(clientFormats.renderFor('report.txt')).toBe(undefined);
  });
});
