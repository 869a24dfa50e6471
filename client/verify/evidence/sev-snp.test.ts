import { describe, expect, test } from 'vitest';
import { readRecorded } from '../../testing/judge.ts';
import { certificateTable, readRecordedReport, recordedReportAt } from '../../testing/recorded.ts';
import type { SnpRoot } from './evidence-case.ts';

const recorded = readRecordedReport('sev-snp.json');
const debug = readRecordedReport('sev-snp-debug.json');
const now = recordedReportAt;

describe('A recorded SEV-SNP report', () => {
  test('is true with its own certificates', async () => {
    const { verdict, sentence, hardware, measurements } = await judged({});
    expect([verdict, sentence, hardware]).toEqual([
      'true',
      'AMD attests a machine with this key (SEV-SNP, Milan)',
      true,
    ]);
    expect(measurements['MEASUREMENT']).toMatch(/^[0-9a-f]{96}$/);
    expect(measurements['MEASUREMENT']).toBe(recorded.report.subarray(0x90, 0xc0).toString('hex'));
  });

  test('carries its own report data and no other', async () => {
    expect(await judged({ reportData: Buffer.alloc(64, 1) })).toMatchObject({
      verdict: 'false',
      sentence: 'the SEV-SNP report was made for another key, proof ledger or nonce',
    });
  });

  test('is false when a byte was changed', async () => {
    for (const at of [0x04, 0x91, 0x130, 0x188, 0x29f, 0x2a3]) {
      const report = Buffer.from(recorded.report);
      report.writeUInt8(report.readUInt8(at) ^ 1, at);
      expect(await judged({ report })).toMatchObject({
        verdict: 'false',
        sentence: 'the SEV-SNP report is not signed by the chip that its certificate names',
      });
    }
    expect(await judged({ report: recorded.report.subarray(1) })).toMatchObject({
      verdict: 'false',
      sentence: 'the evidence is not an SEV-SNP report',
    });
  });

  test("is false with another chip's certificate", async () => {
    expect(await judged({ vcek: debug.vcek })).toMatchObject({
      verdict: 'false',
      sentence: 'the SEV-SNP report is not signed by the chip that its certificate names',
    });
  });

  test('is false when its certificates have expired, or end in an untrusted root', async () => {
    expect(await judged({ nowSeconds: 1_960_000_000 })).toMatchObject({
      verdict: 'false',
      sentence: 'the SEV-SNP report is invalid: the certificate of SEV-VCEK expired at 2030-04-03T19:23:43Z',
    });
    const roots: SnpRoot[] = [{ product: 'Milan', sha256: '00'.repeat(32) }];
    expect(await judged({ roots })).toMatchObject({
      verdict: 'false',
      sentence: expect.stringContaining('not trusted'),
    });
    expect(await judged({ ask: recorded.ark })).toMatchObject({ verdict: 'false' });
  });

  test('is false when the patch level differs from its certificate', async () => {
    // The same root under another product, which numbers its patch levels differently.
    const roots: SnpRoot[] = [
      { product: 'Turin', sha256: '69d063b45344d26a2e94e1f4210de49ef555308287d4c174445c95639a540bcd' },
    ];
    expect(await judged({ roots })).toMatchObject({
      verdict: 'false',
      sentence: 'the SEV-SNP report is not of the chip that its certificate names: the patch level differs',
    });
  });

  test("is unknown without the chip's certificates, or when another key than the chip's signed", async () => {
    expect(await judged({ certificates: null })).toMatchObject({
      verdict: 'unknown',
      sentence: 'the SEV-SNP report came without the certificates of its chip',
    });
    expect(await judged({ certificates: Buffer.alloc(100) })).toMatchObject({ verdict: 'unknown' });
    const report = Buffer.from(recorded.report);
    report.writeUInt32LE(1 << 2, 0x48);
    expect(await judged({ report })).toMatchObject({
      verdict: 'unknown',
      sentence: 'the SEV-SNP report is not signed by a chip key (VCEK)',
    });
  });
});

test('A recorded report of a machine in debug mode is false, although its signature is valid', async () => {
  expect(await judged({ report: debug.report, vcek: debug.vcek })).toMatchObject({
    verdict: 'false',
    sentence: 'the machine runs in debug mode, so the host can read its memory',
  });
});

type Change = {
  readonly report?: Buffer;
  readonly vcek?: Buffer;
  readonly ask?: Buffer;
  readonly reportData?: Buffer;
  readonly certificates?: Buffer | null;
  readonly roots?: readonly SnpRoot[];
  readonly nowSeconds?: number;
};

function judged(change: Change) {
  const {
    report = recorded.report,
    vcek = recorded.vcek,
    ask = recorded.ask,
    roots,
    nowSeconds = now,
  } = change;
  const {
    certificates = certificateTable([vcek, ask, recorded.ark]),
    reportData = report.subarray(0x50, 0x90),
  } = change;
  const evidence = { format: 'sev-snp-report', evidence: report, ...(certificates && { certificates }) };
  return readRecorded(evidence, reportData, nowSeconds, roots === undefined ? {} : { snpRoots: roots });
}
