import { describe, expect, it } from 'vitest';
import { profilesOfAll } from './engine/scope.ts';
import { paymentsMaxDefault } from './payment/spending.ts';
import { allOf } from './testing/expected.ts';
import { startFakeTarget } from './testing/fake-target.ts';
import { idsOf, judged } from './testing/judged.ts';

describe('a gateway that follows the contract', () => {
  it('is verified on every MUST of the three profiles, and signs no more than it says', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target);
    expect(idsOf(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual([]);
    expect(report).toMatchObject({
      verdict: 'conformant',
      exitCode: 0,
      must: allOf({ profiles: profilesOfAll }),
    });
    const { payments, signedUnits, settledUnits } = report.spent;
    // Of three attempts at a tool call the fake takes one, so that two payments of the worst case are left.
    expect(payments).toBe(paymentsMaxDefault - 2);
    // It asks for a thousand units; two payments of a run are a unit more, and one a unit less.
    expect(BigInt(signedUnits)).toBe(1_000n * BigInt(payments) + 1n);
    expect(BigInt(settledUnits)).toBeLessThan(BigInt(signedUnits));
  });

  it('is asked for nothing but its interface', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target);
    const written = new Set(report.exchanges.map(({ request }) => new URL(request.url).pathname));
    // D-169: a chat without a payment is also sent to paths that a router might read as its own.
    const others = [
      '/api/v1/chat/completions',
      '/chat/completions',
      '/v1/chat/%63ompletions',
      '/v1/chat/completions.json',
      '/v1/chat/completions;x',
      '/v2/chat/completions',
    ];
    // D-146: the paths are also written in capitals, with a slash twice, and with one at the end.
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
    // D-146: a few requests without payment have the User-Agent of a probe or a browser.
    const named = report.exchanges.filter(({ request }) =>
      request.headers['User-Agent']?.match(/^paid-inference-conformance\/\d/),
    );
    expect(report.exchanges.length - named.length).toBeLessThan(10);
    for (const { request } of report.exchanges) {
      if ('X-PAYMENT' in request.headers)
        expect(request.headers['User-Agent']).toMatch(/^paid-inference-conformance\/\d/);
    }
  });

  it('gives the same report twice, save for the clock, the port and what is random', async () => {
    const outcomes = async () => {
      await using target = await startFakeTarget();
      const { results } = await judged(target);
      return results.map(({ requirement, title, outcome, evidence }) => [
        requirement,
        title,
        outcome,
        evidence,
      ]);
    };
    expect(await outcomes()).toEqual(await outcomes());
  });
});
