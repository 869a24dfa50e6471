import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { json, type ProxyAnswer, type ProxyRequest, startProxy } from '../testing/proxy.ts';

const refusal = json(400, {
  error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
});

/** Judges the fake, of which a paid request is answered otherwise. */
async function judgedBehind(
  filter: string,
  oncePaid: (asked: ProxyRequest, forward: () => Promise<ProxyAnswer>) => Promise<ProxyAnswer> | ProxyAnswer,
): Promise<{ report: Report; payments: readonly string[] }> {
  const payments: string[] = [];
  await using gateway = await startFakeTarget();
  await using proxy = await startProxy(gateway.url, async (asked, forward) => {
    const payment = asked.headers['x-payment'];
    if (payment === undefined) return forward();
    payments.push(String(payment));
    return oncePaid(asked, forward);
  });
  const report = await judged({ ...gateway, url: proxy.url }, { profiles: ['paid'], filter });
  return { report, payments };
}

const detailsOf = ({ results }: Report, requirement: string) =>
  results.filter((each) => each.requirement === requirement && each.detail).map(({ detail }) => detail);

describe('a payment with an invalid body', () => {
  it('is sent again with each of the others, and signed once for all of them', async () => {
    const { report, payments } = await judgedBehind('body.invalid.paid', (_, forward) => forward());
    expect(idsOf(report, 'pass')).toEqual(['body.invalid.paid']);
    // A good one and a refused one for each endpoint.
    expect(report.spent.payments).toBe(4);
    expect(new Set(payments).size).toBe(4);
    expect(payments.length).toBeGreaterThan(25);
  });

  it('is found to be served where a rule does not hold any more, and sent no further', async () => {
    const { report, payments } = await judgedBehind('body.invalid.paid', ({ body }, forward) =>
      body.includes('narrator') ? json(200, {}) : forward(),
    );
    expect(detailsOf(report, 'body.invalid.paid')).toContain(
      'expected a refusal of an invalid body; got 200 to a message with another `role`',
    );
    const served = report.exchanges.findIndex(({ request }) => request.body?.includes('narrator'));
    const later = report.exchanges.slice(served + 1).filter(({ request }) => request.url.includes('chat'));
    expect(later.filter(({ request }) => 'X-PAYMENT' in request.headers)).toEqual([]);
    expect(payments.length).toBeGreaterThan(5);
    expect(report.exitCode).toBe(1);
  });

  it.each([401, 402, 409, 422])(
    'may be refused (%i) for the body that it was offered for',
    async (status) => {
      const { report, payments } = await judgedBehind('body.invalid.paid', async (_, forward) => {
        const answer = await forward();
        return answer.status === 400 ? json(status, {}) : answer;
      });
      expect(idsOf(report, 'fail', 'inconclusive', 'pass')).toEqual([]);
      expect(detailsOf(report, 'body.invalid.paid')).toContainEqual(
        expect.stringMatching(`offered for another body is not shown: ${status} to \`temperature\``),
      );
      // A good one and a refused one for each endpoint: nothing more is shown by sending that again.
      expect(payments.length).toBe(4);
    },
  );

  it.each([200, 302, 500])('must be refused for something (not %i)', async (status) => {
    const { report } = await judgedBehind('body.invalid.paid', async (_, forward) => {
      const answer = await forward();
      return answer.status === 400 ? json(status, {}) : answer;
    });
    expect(idsOf(report, 'fail')).toEqual(['body.invalid.paid']);
  });

  it('must not bring a server fault, whichever rule it breaks', async () => {
    const { report } = await judgedBehind('body.invalid.paid', ({ body }, forward) =>
      body.includes('narrator') ? json(500, {}) : forward(),
    );
    expect(detailsOf(report, 'body.invalid.paid')).toContain(
      'expected status 400 for an invalid body; got 500 to a message with another `role`',
    );
    expect(report.exitCode).toBe(1);
  });

  it('may be refused in words of its own, but without a payment in those of the table', async () => {
    const mismatch = json(400, {
      error: { message: 'No.', type: 'payment_error', code: 'payment_mismatch' },
    });
    const { report } = await judgedBehind('', async (_, forward) => {
      const answer = await forward();
      return answer.status === 400 ? mismatch : answer;
    });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
  });

  it('shows no more than its first body where it is looked at once', async () => {
    const seen = new Set<unknown>();
    const { report } = await judgedBehind('body.invalid.paid', ({ headers }, forward) => {
      const isNew = !seen.has(headers['x-payment']);
      seen.add(headers['x-payment']);
      return isNew ? forward() : json(409, {});
    });
    expect(idsOf(report, 'fail', 'inconclusive')).toEqual([]);
    expect(detailsOf(report, 'body.invalid.paid')).toContainEqual(
      expect.stringMatching(/^what a payment brings that was refused before is not shown: 409 to/),
    );
    expect(report.exitCode).toBe(0);
  });
});

describe('a valid body that is refused once it is paid', () => {
  it('is told from a settlement type and a model that are refused, for two payments more', async () => {
    const { report } = await judgedBehind('', ({ body }, forward) =>
      body.includes('Ping.') ? refusal : forward(),
    );
    expect(idsOf(report, 'fail')).toEqual(['body.valid.paid']);
    // A sound gateway calls a tool at the first of three attempts, which leaves two.
    expect(report.spent.payments).toBe(paymentsMaxDefault - 2 + 2);
    expect(report.results.find(({ outcome }) => outcome === 'fail')).toMatchObject({
      title: 'A paid chat of three messages is answered 200',
      detail: 'expected status 200 for a valid body; got 400 with code "invalid_request"',
    });
  });

  it('is not blamed where the settlement type is refused', async () => {
    const { report } = await judgedBehind('', ({ headers }, forward) =>
      headers['x-settlement-type'] === 'private' ? refusal : forward(),
    );
    expect(idsOf(report, 'fail')).toEqual([
      'settlement-type.completions.served',
      'settlement-type.private.served',
    ]);
  });
});

describe('tools that are paid for', () => {
  it('must be served', async () => {
    const { report } = await judgedBehind('tools.', ({ body }, forward) =>
      body.includes('"tools"') ? refusal : forward(),
    );
    expect(idsOf(report, 'fail')).toEqual(['tools.served']);
    // Beside a request without tools, one with them: nothing is tried again that must be served.
    expect(report.spent.payments).toBe(2);
  });

  it('may be refused where the choice is of a shape that is not shown', async () => {
    const { report } = await judgedBehind('tools.', async ({ body }, forward) => {
      if (body.includes('"tool_choice":"get_weather"')) return refusal;
      const answer = await forward();
      const silent = { message: { role: 'assistant', content: 'no' }, index: 0, finish_reason: 'stop' };
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), choices: [silent] }) };
    });
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(idsOf(report, 'pass')).toEqual(['tools.offered', 'tools.served']);
    expect(idsOf(report, 'inconclusive')).toContain('tools.call');
  });
});
