import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { commandText, hostileText } from '../testing/hostile.ts';
import { judged } from '../testing/judged.ts';
import { findSchemaFaults } from '../testing/report-schema.ts';
import { noColours, type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';
import { renderFor } from './formats.ts';
import schema from './report.schema.json' with { type: 'json' };
import { renderTree } from './tree.ts';
import { uncommandedJson } from './visible.ts';

/**
 * Lines that a CI runner takes for commands: `::` after optional blanks at the beginning, and `##…[` anywhere.
 */
function isCommand(line: string): boolean {
  return /^\s*::/.test(line) || /##[a-z]*\[/i.test(line);
}

const files = ['report.json', 'junit.xml', 'report.html', 'summary.md', 'badge.json'] as const;

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

describe('the format of a report file', () => {
  it.each(['report', 'report.txt', 'report.htm', 'badge.xmlx', 'report.JSON'])(
    'is unknown for %s',
    (path) => {
      expect(renderFor(path)).toBeUndefined();
    },
  );

  it('is a badge by its name', () => {
    for (const path of ['badge.json', 'out/v1-badge.json', 'x.badge.json']) {
      expect(JSON.parse(written(path, reports.sound))).toHaveProperty('label');
    }
    expect(JSON.parse(written('badges.json', reports.sound))).toHaveProperty('results');
  });
});

describe('JSON', () => {
  it('matches its schema, and the schema names all its fields', () => {
    for (const [name, report] of Object.entries(reports))
      expect(findSchemaFaults(schema, written('report.json', report)), name).toEqual([]);
  });

  it('of another version or without a verdict does not match', () => {
    const validate = new Ajv2020({ strictRequired: false }).compile(schema);
    const { verdict: _, ...rest } = reports.sound;
    expect(validate(rest)).toBe(false);
    expect(validate({ ...reports.sound, schemaVersion: 2 })).toBe(false);
    expect(validate({ ...reports.sound, verdict: 'fine' })).toBe(false);
  });
});

describe('hostile text of a target', () => {
  it('occurs in the report', () => {
    expect(JSON.stringify(reports.hostile)).toContain(JSON.stringify(hostileText).slice(1, -1));
  });

  it('is no CI command, in output and files', () => {
    const said = JSON.stringify(reports.hostile);
    for (const command of ['::error::', '##[error]', '##vso[', '::stop-commands::'])
      expect(said).toContain(command);
    const printed = [
      renderTree(reports.hostile, noColours),
      renderTree({ ...reports.unreached, unreached: commandText }, noColours),
      renderTree({ ...reports.hostile, model: commandText }, noColours),
      written('summary.md', reports.hostile),
      uncommandedJson(written('report.json', reports.hostile)),
    ];
    for (const text of printed) {
      const commands = text.split(/[\r\n\u0085\u2028\u2029]/).filter((line) => isCommand(line));
      expect(commands).toEqual([]);
    }
    expect(JSON.parse(printed.at(-1) ?? '')).toEqual(reports.hostile);
  });

  it('never begins a line of the tree', () => {
    const { results } = reports.hostile;
    const report = {
      ...reports.hostile,
      results: results.map((result) => ({ ...result, detail: '\n::x::\n' })),
    };
    const lines = renderTree(report, noColours).split('\n');
    expect(lines.filter((line) => /^\s*::/.test(line))).toEqual([]);
    expect(lines.filter((line) => /^ {6}\w[\w-]*: ::x::/.test(line)).length).toBeGreaterThan(0);
  });

  it('contains no cursor controls and line breaks', () => {
    expect(renderTree(reports.hostile, noColours)).not.toMatch(/(?!\n)\p{C}/u);
  });

  it.each(files)('is only text in %s', (path) => {
    const text = written(path, reports.hostile);
    if (path.endsWith('.json')) expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    else expect(text).not.toMatch(/(?![\n\t])\p{C}/u);
    if (path.endsWith('.md'))
      expect(text.replaceAll(/<\/?code>/g, '')).not.toMatch(/[<>[\]`@*](?!\*)(?<!\*\*)/);
    // Excerpts have a maximum length.
    expect(text.length).toBeLessThan(10_000_000);
    expect(text).not.toContain('x'.repeat(10_000));
  });
});

describe('secrets', () => {
  it('occur in no report, even if the target repeats them', async () => {
    const signatures = new Set<string>();
    let last = '';
    const change: Change = ({ isSigned, completion }) => ({
      isSigned(payment, offer) {
        // Empty payments and payments of zeros contain no secret.
        if (/[1-9a-f]{8}/i.test(payment.signature.slice(2))) signatures.add(payment.signature);
        last = payment.signature;
        return isSigned(payment, offer);
      },
      completion: (...of) => ({
        ...completion(...of),
        echo: `${last} ${last.toUpperCase()} ${last.slice(2)}`,
      }),
      error: (status, type, code) => ({
        status,
        headers: {},
        body: { error: { message: last, type, code } },
      }),
    });
    await using target = await startFakeTarget(change);
    const texts = everyText(await judged(target));
    expect(signatures.size).toBeGreaterThan(10);
    for (const [name, text] of Object.entries(texts)) {
      const lower = text.toLowerCase();
      expect(lower, name).not.toContain(target.payerKey.slice(2).toLowerCase());
      for (const signature of signatures) expect(lower, name).not.toContain(signature.slice(2).toLowerCase());
    }
    expect(texts['report.html']).toContain('&#60;signature&#62;');
  });
});

function everyText(report: Report): Readonly<Record<string, string>> {
  const byFile = Object.fromEntries(files.map((path) => [path, written(path, report)]));
  return { tree: renderTree(report, noColours), ...byFile };
}
