import { applyPolicy } from '../engine/policy.ts';
import type { Report } from '../engine/report.ts';
import { renderFor } from '../report/formats.ts';
import type { Colours } from '../report/tree.ts';
import { mutants } from './broken.ts';
import { type Change, startFakeTarget } from './fake-target.ts';
import { hostile } from './hostile.ts';
import { judged } from './judged.ts';
import { soundReport } from './shared-reports.ts';

export type SampleReports = Readonly<
  Record<'sound' | 'broken' | 'open' | 'pruned' | 'hostile' | 'unreached', Report>
>;

export const noColours: Colours = {
  green: plain,
  red: plain,
  yellow: plain,
  cyan: plain,
  dim: plain,
  bold: plain,
};

let reports: Promise<SampleReports> | undefined;

/** A report of each kind, each from a real run. The test files of one worker share them. */
export function sampleReports(): Promise<SampleReports> {
  reports ??= runForReports();
  return reports;
}

async function runForReports(): Promise<SampleReports> {
  const broken = await reportOn(mutants.find(({ id }) => id === 'receipt-names-recipient')?.change, {
    implementation: { name: 'Stand-in', version: '1.2', url: 'https://stand-in.example' },
  });
  const nobody = { url: 'http://127.0.0.1:1', payerKey: '', [Symbol.asyncDispose]: async () => undefined };
  return {
    sound: await soundReport(),
    broken: applyPolicy(broken, {
      strict: true,
      expectedFailures: [
        { requirement: 'receipt.payer', reason: 'names <the> recipient', issue: 'https://issues.example/7' },
        { requirement: 'offer.payTo', reason: 'was none', line: 3 },
        { requirement: 'error.429.envelope', reason: 'has no limit' },
      ],
    }),
    open: await reportOn(() => ({ readsBodyFirst: false }), { profiles: ['free'] }),
    pruned: await reportOn(undefined, { profiles: ['free'], filter: 'offer.' }),
    hostile: await reportOn(hostile),
    unreached: await judged(nobody, { profiles: ['free'] }),
  };
}

const contents = new WeakMap<Report, Map<string, string>>();

/** The content that a report file with this name would have. Tests of one report share it. */
export function written(path: string, report: Report): string {
  const known = contents.get(report) ?? new Map<string, string>();
  contents.set(report, known);
  const content = known.get(path) ?? render(path, report);
  known.set(path, content);
  return content;
}

function render(path: string, report: Report): string {
  const renderReport = renderFor(path);
  if (!renderReport) throw new Error(`no format for ${path}`);
  return renderReport(report);
}

async function reportOn(change?: Change, options: Parameters<typeof judged>[1] = {}): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, options);
}

function plain(text: string): string {
  return text;
}
