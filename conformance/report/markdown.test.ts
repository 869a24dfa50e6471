import { beforeAll, describe, expect, it } from 'vitest';
import { type SampleReports, sampleReports, written } from '../testing/sample-reports.ts';

let reports: SampleReports;

beforeAll(async () => {
  reports = await sampleReports();
}, 240_000);

describe('the markdown summary', () => {
  it('has the verdict, the sections and inconclusive checks', () => {
    const text = written('summary.md', reports.broken);
    expect(text).toContain('## Conformance of <code>Stand&#45;in 1.2 at http');
    expect(text.split('\n')[2]).toMatch(
      /^\*\*NOT conformant\*\*: .* MUST requirements verified, 2 failed \(1 expected\)\.$/,
    );
    expect(text).toMatch(/^\| 2\.8 Payment requirements \|/m);
    expect(text).toMatch(/^#### ✗ <code>receipt\.payer<\/code> \(MUST, 2\.11\)\n\nThe contract: .*payer/m);
    expect(text).toMatch(/^\S.*: expected the address of the payer/m);
    expect(text).toMatch(/^<code>&#35;\d+ curl &#45;i/m);
    expect(text).toContain('offer.payTo passes now');
  });

  it('has rows of one width', () => {
    for (const report of Object.values(reports)) {
      const tables = written('summary.md', report)
        .split(/\n\n/)
        .filter((block) => block.startsWith('|'));
      expect(tables.length).toBeGreaterThan(0);
      for (const table of tables) {
        const widths = table
          .trim()
          .split('\n')
          .map((row) => row.split('|').length);
        expect(new Set(widths).size).toBe(1);
      }
    }
  });
});

describe('the badge', () => {
  it.each([
    ['sound', 'brightgreen', /: (\d+)\/\1 MUST$/],
    ['broken', 'red', /, failed$/],
    ['unreached', 'orange', /: 0\/\d+ MUST, incomplete$/],
    ['pruned', 'brightgreen', /^free offer\.…: /],
  ] as const)('of a %s target is %s', (name, color, message) => {
    expect(JSON.parse(written('badge.json', reports[name]))).toEqual({
      schemaVersion: 1,
      label: 'paid inference v1',
      message: expect.stringMatching(message),
      color,
    });
  });
});
