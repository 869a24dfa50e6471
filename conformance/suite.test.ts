import { describe, expect, it } from 'vitest';
import type { Report } from './engine/report.ts';
import { profilesOfAll } from './engine/scope.ts';
import { paymentsMaxDefault } from './payment/spending.ts';
import { countAll } from './testing/expected.ts';
import { startFakeTarget } from './testing/fake-target.ts';
import { judged, listIds } from './testing/judged.ts';
import { soundReport } from './testing/shared-reports.ts';

describe('a gateway that follows the contract', () => {
  it('passes every MUST of the three profiles, and the run signs no more than reported', async () => {
    const report = await soundReport();
    expect(listIds(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual([]);
    expect(report).toMatchObject({
      verdict: 'conformant',
      exitCode: 0,
      must: countAll({ profiles: profilesOfAll }),
    });
    const { payments, signedUnits, settledUnits } = report.spent;
    // The fake calls a tool at the first of three attempts, so two payments of the worst case are not signed.
    expect(payments).toBe(paymentsMaxDefault - 2);
    // An offer asks for 1000 units. Two payments of a run are one unit more, and one is one unit less.
    expect(BigInt(signedUnits)).toBe(1_000n * BigInt(payments) + 1n);
    expect(BigInt(settledUnits)).toBeLessThan(BigInt(signedUnits));
  });

  it('gets requests for its interface only', async () => {
    const report = await soundReport();
    const written = new Set(report.exchanges.map(({ request }) => new URL(request.url).pathname));
    // The suite also sends an unpaid chat to paths that a router might accept (D-169, D-216).
    const others = [
      '/api/chat',
      '/api/generate',
      '/api/v1/chat/completions',
      '/chat/completions',
      '/generate',
      '/invocations',
      '/openai/deployments/tester/chat/completions',
      '/v1/chat/%63ompletions',
      '/v1/chat/completions.json',
      '/v1/chat/completions/x',
      '/v1/chat/completions;x',
      '/v1/engines/tester/completions',
      '/v1/messages',
      '/v1/responses',
      '/v2/chat/completions',
    ];
    // The suite also sends paths in capitals, with a double slash, and with a slash at the end (D-146).
    const asked = new Set(
      [...written].map((path) => path.toLowerCase().replaceAll('//', '/').replace(/\/$/, '')),
    );
    for (const path of others) expect([...asked]).toContain(path);
    expect([...asked].filter((path) => !others.includes(path)).sort()).toEqual([
      '/v1/chat/completions',
      '/v1/completions',
      '/v1/models',
      '/v1/no-such-endpoint',
    ]);
    // A few unpaid requests have the User-Agent of a probe or another client (D-146, D-215, D-216, D-241, D-412, D-428).
    const named = report.exchanges.filter(({ request }) =>
      request.headers['User-Agent']?.match(/^paid-inference-conformance\/\d/),
    );
    expect(report.exchanges.length - named.length).toBeLessThan(23);
    for (const { request } of report.exchanges) {
      if ('X-PAYMENT' in request.headers)
        expect(request.headers['User-Agent']).toMatch(/^paid-inference-conformance\/\d/);
    }
  });

  it('gives the same report twice, apart from time, port and random values', async () => {
    const outcomes = ({ results }: Report) =>
      results.map(({ requirement, title, outcome, evidence }) => [requirement, title, outcome, evidence]);
    await using target = await startFakeTarget();
    expect(outcomes(await judged(target))).toEqual(outcomes(await soundReport()));
  });
});
