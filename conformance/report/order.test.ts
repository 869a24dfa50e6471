import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { elementsOf, readXml, textOf, type XmlElement } from '../testing/xml.ts';
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
  it.each(names)('is in the only box, and the first thing of the page after its title: %s', (name) => {
    const page = readXml(written('report.html', reports[name]));
    const [header] = elementsOf(page, 'header');
    const [title, box] = header?.children ?? [];
    expect([tagOf(title), tagOf(box)]).toEqual(['h1', 'p']);
    expect(classOf(box)).toBe(`verdict ${reports[name].verdict}`);
    expect(typeof box === 'object' ? textOf(box) : '').toMatch(new RegExp(`^${words[name]}[^.]`));
    const boxes = elementsOf(page, 'p').filter((each) => classOf(each)?.startsWith('verdict'));
    expect(boxes).toHaveLength(1);
  });

  it.each(names)('is the first line of the summary after its title: %s', (name) => {
    const [, , line] = written('summary.md', reports[name]).split('\n');
    expect(line).toMatch(new RegExp(`^\\*\\*${words[name]}(, with warnings)?\\*\\*: \\w`));
  });

  it('stays first where most checks are inconclusive', () => {
    const report = mostlyOpen(reports.broken);
    const page = readXml(written('report.html', report));
    const box = elementsOf(page, 'p').find((each) => classOf(each)?.startsWith('verdict'));
    expect(box && textOf(box)).toMatch(
      /^NOT conformant: .* 2 failed \(1 expected\), \d+ could not be exercised\.$/,
    );
    expect(written('summary.md', report).split('\n')[2]).toMatch(/^\*\*NOT conformant\*\*: /);
  });
});

describe('the page', () => {
  it('has the failures after the verdict, then what was open, then the matrix', () => {
    const report = mostlyOpen(reports.broken);
    const page = readXml(written('report.html', report));
    const titles = elementsOf(page, 'h2').map(textOf);
    expect(titles.map((title) => title.replace(/:.*/, ''))).toEqual([
      'Failed',
      'Could not be exercised',
      'All requirements at a glance',
      'Every requirement',
      'The run',
      'Transcript',
    ]);
  });

  it('shows each failure with its title, the sentence, what was found, and how to repeat it', () => {
    const page = readXml(written('report.html', reports.broken));
    const findings = elementsOf(page, 'details').filter((each) => classOf(each) === 'finding fail');
    expect(findings).toHaveLength(2);
    const text = findings.map(textOf).join();
    const [result] = reports.broken.results.filter(({ outcome }) => outcome === 'fail');
    const plain = [result?.title, result?.quote.replaceAll(/^\| | \|$/g, '').replaceAll(' | ', ' · ')];
    for (const part of [...plain, result?.requirement, result?.detail]) {
      expect(text).toContain(part?.replaceAll('`', ''));
    }
    expect(text).toContain('curl -i -X POST');
    expect(findings[0]?.attributes['open']).toBe('open');
  });

  it('explains every sign of its matrix, and no sign stands for two outcomes', () => {
    expect(new Set(outcomes.map((outcome) => marks[outcome].mark)).size).toBe(outcomes.length);
    for (const outcome of outcomes) expect(marks[outcome].mark).toMatch(/^\S$/u);
    for (const report of Object.values(reports)) {
      const page = readXml(written('report.html', report));
      const legend = elementsOf(page, 'ul').find((each) => classOf(each) === 'legend');
      const present = new Set(byRequirement(report).map(({ outcome }) => outcome));
      const said = legend ? elementsOf(legend, 'li').map(textOf) : [];
      for (const outcome of present) {
        const { mark, meaning } = marks[outcome];
        const line = said.find((text) => text.startsWith(mark));
        expect(line).toContain(outcome);
        expect(line).toContain(meaning);
      }
      const signs = elementsOf(page, 'a').filter((each) => classOf(each)?.startsWith('cell '));
      for (const sign of signs) expect(textOf(sign)).toBe(marks[outcomeOf(sign)].mark);
    }
  });
});

describe('amounts and counts', () => {
  it.each(['summary.md', 'report.html'])('have their unit and their noun in %s', (path) => {
    const { payments, signedUnits, settledPayments, settledUnits } = reports.sound.spent;
    expect(settledPayments).toBeLessThan(payments);
    const text = written(path, reports.sound).replaceAll('&#40;', '(');
    expect(text).toContain(`Signed ${payments} payments, ${signedUnits} units in all`);
    expect(text).toContain(`${settledPayments} payments, ${settledUnits} units`);
    expect(text).not.toContain('of them settled');
  });
});

/** As after a run in which hardly anything could be paid for. */
function mostlyOpen(report: Report): Report {
  const results = report.results.map((result) =>
    result.outcome === 'pass' && result.profile !== 'free'
      ? { ...result, outcome: 'inconclusive' as const, detail: 'the budget refuses to sign' }
      : result,
  );
  return { ...report, results };
}

function outcomeOf(sign: XmlElement) {
  const outcome = outcomes.find((each) => classOf(sign) === `cell ${each}`);
  if (!outcome) throw new Error('the sign has no outcome');
  return outcome;
}

function tagOf(child: XmlElement['children'][number] | undefined): string | undefined {
  return typeof child === 'object' ? child.name : undefined;
}

function classOf(child: XmlElement['children'][number] | undefined): string | undefined {
  return typeof child === 'object' ? child.attributes['class'] : undefined;
}
