import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { listElements, readText, readXml, type XmlElement } from '../testing/xml.ts';
import { outcomes } from '../types/verdict.ts';
import { byRequirement } from './by-requirement.ts';
import { marks } from './marks.ts';

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

const words: Readonly<Record<keyof SampleReports, string>> = {
  sound: 'Conformant in scope',
  broken: 'NOT conformant',
  open: 'INCOMPLETE',
  pruned: 'Conformant in scope',
  hostile: 'NOT conformant',
  unreached: 'INCOMPLETE',
};
const names = Object.keys(words) as readonly (keyof SampleReports)[];

describe('the verdict', () => {
  it.each(names)('is in the only box, directly after the title of the page: %s', (name) => {
    const page = readXml(written('report.html', reports[name]));
    const [header] = listElements(page, 'header');
    const [title, box] = header?.children ?? [];
    expect([readTag(title), readTag(box)]).toEqual(['h1', 'p']);
    expect(readClass(box)).toBe(`verdict ${reports[name].verdict}`);
    expect(typeof box === 'object' ? readText(box) : '').toMatch(new RegExp(`^${words[name]}[^.]`));
    const boxes = listElements(page, 'p').filter((each) => readClass(each)?.startsWith('verdict'));
    expect(boxes).toHaveLength(1);
  });

  it.each(names)('is the first line after the title of the summary: %s', (name) => {
    const [, , line] = written('summary.md', reports[name]).split('\n');
    expect(line).toMatch(new RegExp(`^\\*\\*${words[name]}(, with warnings)?\\*\\*: \\w`));
  });

  it('stays first when most checks are inconclusive', () => {
    const report = mostlyOpen(reports.broken);
    const page = readXml(written('report.html', report));
    const box = listElements(page, 'p').find((each) => readClass(each)?.startsWith('verdict'));
    expect(box && readText(box)).toMatch(
      /^NOT conformant: .* 2 failed \(1 expected\), \d+ could not be exercised\.$/,
    );
    expect(written('summary.md', report).split('\n')[2]).toMatch(/^\*\*NOT conformant\*\*: /);
  });
});

describe('the page', () => {
  it('has failures after the verdict, then inconclusive checks, then the matrix', () => {
    const report = mostlyOpen(reports.broken);
    const page = readXml(written('report.html', report));
    const titles = listElements(page, 'h2').map(readText);
    expect(titles.map((title) => title.replace(/:.*/, ''))).toEqual([
      'Failed',
      'Could not be exercised',
      'All requirements at a glance',
      'Every requirement',
      'The run',
      'Transcript',
    ]);
  });

  it('shows each failure with title, quotation, finding and curl line', () => {
    const page = readXml(written('report.html', reports.broken));
    const findings = listElements(page, 'details').filter((each) => readClass(each) === 'finding fail');
    expect(findings).toHaveLength(2);
    const text = findings.map(readText).join();
    const [result] = reports.broken.results.filter(({ outcome }) => outcome === 'fail');
    const plain = [result?.title, result?.quote.replaceAll(/^\| | \|$/g, '').replaceAll(' | ', ' · ')];
    for (const part of [...plain, result?.requirement, result?.detail]) {
      expect(text).toContain(part?.replaceAll('`', ''));
    }
    expect(text).toContain('curl -i -X POST');
    expect(findings[0]?.attributes['open']).toBe('open');
  });

  it('explains every mark of its matrix, and each outcome has its own mark', () => {
    expect(new Set(outcomes.map((outcome) => marks[outcome].mark)).size).toBe(outcomes.length);
    for (const outcome of outcomes) expect(marks[outcome].mark).toMatch(/^\S$/u);
    for (const report of Object.values(reports)) {
      const page = readXml(written('report.html', report));
      const legend = listElements(page, 'ul').find((each) => readClass(each) === 'legend');
      const present = new Set(byRequirement(report).map(({ outcome }) => outcome));
      const said = legend ? listElements(legend, 'li').map(readText) : [];
      for (const outcome of present) {
        const { mark, meaning } = marks[outcome];
        const line = said.find((text) => text.startsWith(mark));
        expect(line).toContain(outcome);
        expect(line).toContain(meaning);
      }
      const signs = listElements(page, 'a').filter((each) => readClass(each)?.startsWith('cell '));
      for (const sign of signs) expect(readText(sign)).toBe(marks[readOutcome(sign)].mark);
    }
  });
});

describe('amounts and counts', () => {
  it.each(['summary.md', 'report.html'])('have a unit and a noun in %s', (path) => {
    const { payments, signedUnits, settledPayments, settledUnits } = reports.sound.spent;
    expect(settledPayments).toBeLessThan(payments);
    const text = written(path, reports.sound).replaceAll('&#40;', '(');
    expect(text).toContain(`Signed ${payments} payments, ${signedUnits} units in all`);
    expect(text).toContain(`${settledPayments} payments, ${settledUnits} units`);
    expect(text).not.toContain('of them settled');
  });
});

/** A report of a run that could hardly pay for anything. */
function mostlyOpen(report: Report): Report {
  const results = report.results.map((result) =>
    result.outcome === 'pass' && result.profile !== 'free'
      ? { ...result, outcome: 'inconclusive' as const, detail: 'the suite did not sign a payment' }
      : result,
  );
  return { ...report, results };
}

function readOutcome(sign: XmlElement) {
  const outcome = outcomes.find((each) => readClass(sign) === `cell ${each}`);
  if (!outcome) throw new Error('the mark has no outcome');
  return outcome;
}

function readTag(child: XmlElement['children'][number] | undefined): string | undefined {
  return typeof child === 'object' ? child.name : undefined;
}

function readClass(child: XmlElement['children'][number] | undefined): string | undefined {
  return typeof child === 'object' ? child.attributes['class'] : undefined;
}
