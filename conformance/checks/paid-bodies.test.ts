import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import { paymentsMaxDefault } from '../payment/spending.ts';
import { startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { json, type ProxyRequest, type ProxyResponse, startProxy } from '../testing/proxy.ts';

const refusal = json(400, {
  error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' },
});

/** Judges the fake with a deviating response to paid requests. */
async function judgedBehind(
  filter: string,
  oncePaid: (
    asked: ProxyRequest,
    forward: () => Promise<ProxyResponse>,
  ) => Promise<ProxyResponse> | ProxyResponse,
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

const listDetails = ({ results }: Report, requirement: string) =>
  results.filter((each) => each.requirement === requirement && each.detail).map(({ detail }) => detail);

it.each([
  [413, 'pass'],
  [500, 'fail'],
])('a paid body of more than 2,000 bytes may get 413 but not 500 (D-460): %i', async (status, outcome) => {
  const { report } = await judgedBehind('conditions.paid', async ({ body }, forward) =>
    body.length > 2_000 ? json(status, { error: { message: 'No.' } }) : forward(),
  );
  const [result] = report.results.filter(({ title }) => title.includes('3000 characters'));
  expect(result?.outcome).toBe(outcome);
  expect(listIds(report, 'fail')).toHaveLength(outcome === 'fail' ? 1 : 0);
});

describe('a payment with an invalid body', () => {
  it('is sent with each invalid body, but signed once', async () => {
    const { report, payments } = await judgedBehind('body.invalid.paid', (_, forward) => forward());
    expect(listIds(report, 'pass')).toEqual(['body.invalid.paid']);
    // A valid and a refused payment for each endpoint.
    expect(report.spent.payments).toBe(4);
    expect(new Set(payments).size).toBe(4);
    expect(payments.length).toBeGreaterThan(25);
  });

  it('fails if it is served for one body, and is not sent again', async () => {
    const { report, payments } = await judgedBehind('body.invalid.paid', ({ body }, forward) =>
      body.includes('narrator') ? json(200, {}) : forward(),
    );
    expect(listDetails(report, 'body.invalid.paid')).toContain(
      'expected a refusal of an invalid body; got 200 for a message with another `role`',
    );
    const served = report.exchanges.findIndex(({ request }) => request.body?.includes('narrator'));
    const later = report.exchanges.slice(served + 1).filter(({ request }) => request.url.includes('chat'));
    expect(later.filter(({ request }) => 'X-PAYMENT' in request.headers)).toEqual([]);
    expect(payments.length).toBeGreaterThan(5);
    expect(report.exitCode).toBe(1);
  });

  it.each([401, 402, 409, 422])(
    'may be refused with %i because the offer was for another body',
    async (status) => {
      const { report, payments } = await judgedBehind('body.invalid.paid', async (_, forward) => {
        const response = await forward();
        return response.status === 400 ? json(status, {}) : response;
      });
      expect(listIds(report, 'fail', 'inconclusive', 'pass')).toEqual([]);
      expect(listDetails(report, 'body.invalid.paid')).toContainEqual(
        expect.stringMatching(`response to a payment for another body: ${status} for \`temperature\``),
      );
      // A valid and a refused payment for each endpoint; sending the refused one again would show nothing.
      expect(payments.length).toBe(4);
    },
  );

  it.each([200, 302, 500])('must be refused, not answered with %i', async (status) => {
    const { report } = await judgedBehind('body.invalid.paid', async (_, forward) => {
      const response = await forward();
      return response.status === 400 ? json(status, {}) : response;
    });
    expect(listIds(report, 'fail')).toEqual(['body.invalid.paid']);
  });

  it('must not cause a server fault with any invalid body', async () => {
    const { report } = await judgedBehind('body.invalid.paid', ({ body }, forward) =>
      body.includes('narrator') ? json(500, {}) : forward(),
    );
    expect(listDetails(report, 'body.invalid.paid')).toContain(
      'expected status 400 for an invalid body; got 500 for a message with another `role`',
    );
    expect(report.exitCode).toBe(1);
  });

  it('may be refused with its own code, which an unpaid request may not', async () => {
    const mismatch = json(400, {
      error: { message: 'No.', type: 'payment_error', code: 'payment_mismatch' },
    });
    const { report } = await judgedBehind('', async (_, forward) => {
      const response = await forward();
      return response.status === 400 ? mismatch : response;
    });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
  });

  it('judges only the first body if a repeated payment gets another status', async () => {
    const seen = new Set<unknown>();
    const { report } = await judgedBehind('body.invalid.paid', ({ headers }, forward) => {
      const isNew = !seen.has(headers['x-payment']);
      seen.add(headers['x-payment']);
      return isNew ? forward() : json(409, {});
    });
    expect(listIds(report, 'fail', 'inconclusive')).toEqual([]);
    expect(listDetails(report, 'body.invalid.paid')).toContainEqual(
      expect.stringMatching(
        /^the contract does not define the response to a payment that was refused before: 409 for/,
      ),
    );
    expect(report.exitCode).toBe(0);
  });
});

describe('a valid body that is refused once it is paid', () => {
  it('is distinguished from a refused settlement type or model with two more payments', async () => {
    const { report } = await judgedBehind('', ({ body }, forward) =>
      body.includes('4 degrees') ? refusal : forward(),
    );
    expect(listIds(report, 'fail')).toEqual(['body.valid.paid']);
    // A correct gateway calls a tool at the first of three attempts, so two payments are left.
    expect(report.spent.payments).toBe(paymentsMaxDefault - 2 + 2);
    expect(report.results.find(({ outcome }) => outcome === 'fail')).toMatchObject({
      title:
        'A paid chat after two questions, a tool call without `content` and a result in plain text, without `tools`, for one token, at temperature 0.7 gets 200',
      detail: 'expected status 200 for a valid body; got 400 with code "invalid_request"',
    });
  });

  it.each([
    ['with a name', /"name":"tester"/],
    ['with two stop sequences', /"stop":\["[^"]*","\*\*\*"\]/],
    ['with nested parameters', /"items"/],
    ['with signs of programs', /it's/],
    ['for one token', /"max_tokens":1[,}]/],
    ['with a fraction as temperature', /"temperature":0\.7/],
    ['with two system messages', /"role":"system".*"role":"system"/],
    ['with two questions in a row', /"role":"user","content":"[^"]*"\},\{"role":"user"/],
  ])('fails: a body %s (D-231)', async (_, refused) => {
    const { report } = await judgedBehind('body.valid.paid', ({ body }, forward) =>
      refused.test(body) ? refusal : forward(),
    );
    expect(listIds(report, 'fail')).toEqual(['body.valid.paid']);
  });

  it.each([
    ['after two rounds of tool calls', (asked: ProxyRequest) => asked.body.includes('call_3')],
    [
      'that names the charset of its JSON',
      ({ headers }: ProxyRequest) => /charset/.test(`${headers['content-type']}`),
    ],
    ['with unknown members', (asked: ProxyRequest) => asked.body.includes('"metadata"')],
  ])('fails: a request %s (D-231)', async (_, isRefused) => {
    const { report } = await judgedBehind('conditions.paid', (asked, forward) =>
      isRefused(asked) ? refusal : forward(),
    );
    expect(listIds(report, 'fail')).toEqual(['conditions.paid']);
  });

  it('is not reported if the settlement type is refused', async () => {
    const { report } = await judgedBehind('', ({ headers }, forward) =>
      headers['x-settlement-type'] === 'private' ? refusal : forward(),
    );
    expect(listIds(report, 'fail')).toEqual([
      'settlement-type.completions.served',
      'settlement-type.private.served',
    ]);
  });
});

describe('paid requests with tools', () => {
  it('must be served', async () => {
    const { report } = await judgedBehind('tools.', ({ body }, forward) =>
      body.includes('"tools"') ? refusal : forward(),
    );
    expect(listIds(report, 'fail')).toEqual(['tools.served']);
    // One paid request without tools and one with them; a request that must be served is not retried.
    expect(report.spent.payments).toBe(2);
  });

  it('may be refused for a form of tool_choice that the contract does not define', async () => {
    const { report } = await judgedBehind('tools.', async ({ body }, forward) => {
      if (body.includes('"tool_choice":"get_weather"')) return refusal;
      const response = await forward();
      const silent = { message: { role: 'assistant', content: 'no' }, index: 0, finish_reason: 'stop' };
      return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), choices: [silent] }) };
    });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(listIds(report, 'pass')).toEqual(['tools.offered', 'tools.served']);
    expect(listIds(report, 'inconclusive')).toContain('tools.call');
  });
});
