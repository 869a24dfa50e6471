import type { Report } from '../engine/report.ts';
import type { Outcome } from '../engine/verdict.ts';
import { counted } from './counted.ts';

/** The lines at the end of every run. The number of verified requirements never stands without what it is out of. */
export function summaryLines(report: Report): readonly string[] {
  const { spent } = report;
  return [
    ...vacuity(report),
    verdictLine(report),
    `signed ${spent.signedUnits} of the token's smallest unit in ${counted(spent.payments, 'payment')}, ${spent.settledUnits} of them settled (answered with 200)` +
      ` · ${counted(report.exchanges.length, 'request')} in ${(report.durationMs / 1000).toFixed(1)} s`,
  ];
}

export function verdictLine(report: Report): string {
  const { contractVersion, profiles, filter, must, counts } = report;
  const scope = [
    contractVersion,
    `profiles ${profiles.join('+')}`,
    ...(filter === null ? [] : [`only ${filter}…`]),
    `${must.verified} of ${must.total} MUST verified`,
    ...told.flatMap(([outcome, words]) => (counts[outcome] > 0 ? [words(counts[outcome])] : [])),
  ];
  return `${verdictWords[report.verdict]}: ${scope.join(' · ')}`;
}

const verdictWords = {
  conformant: 'Conformant in scope',
  'conformant-with-warnings': 'Conformant in scope, with warnings',
  'non-conformant': 'NOT conformant',
  incomplete: 'INCOMPLETE',
  'suite-error': 'FAULT OF THE SUITE',
} as const;

const told: readonly (readonly [Outcome, (count: number) => string])[] = [
  ['fail', (count) => `${count} failed`],
  ['warn', (count) => counted(count, 'warning')],
  ['observed', (count) => `${count} observed`],
  ['inconclusive', (count) => `${count} inconclusive`],
  ['error', (count) => counted(count, 'suite error')],
];

/** Says so where a run hardly touched what it was to judge: passing nothing is easily done. */
function vacuity({ exchanges, profiles, must }: Report): readonly string[] {
  const saw = (status: number, isPaid: boolean) =>
    exchanges.some(
      ({ request, answer }) => answer?.status === status && 'X-PAYMENT' in request.headers === isPaid,
    );
  return [
    ...(must.total > 0 ? [] : ['No MUST is in scope: there was nothing that a deployment could fail.']),
    ...(saw(402, false) ? [] : ['No unpaid request was answered 402: nothing about payment was seen.']),
    ...(profiles.includes('paid') && !saw(200, true)
      ? ['No paid request was answered 200: nothing about paid answers was seen.']
      : []),
  ];
}
