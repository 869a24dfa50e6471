import { headerNames } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { judge } from '../suite/judge.ts';
import { listenOnLoopback, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { noColours } from '../testing/sample-reports.ts';
import { brokenReport } from '../testing/shared-reports.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderTree } from './tree.ts';

describe('the end of the printed report', () => {
  it.each([
    ['in short', false],
    ['whole', true],
  ])('names failures after the inconclusive checks: %s', async (_, isWhole) => {
    const report = await brokenReport('amount-as-number');
    const lines = renderTree(report, noColours, { isWhole }).split('\n');
    const named = lines.findLastIndex((line) => line.includes('✗ '));
    expect(lines.slice(named, named + 2).join(' ')).toMatch(
      /✗ offer\.maxAmountRequired.*: expected a decimal integer string; got the number 1000/,
    );
    expect(named).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('  ? ')));
  });

  it('names nothing if all checks passed', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['free'] });
    for (const isWhole of [false, true]) {
      const text = renderTree(report, noColours, { isWhole });
      expect(text).not.toMatch(/^ *[✗?] |exercised/m);
    }
  });

  it('names the cause of many inconclusive checks: a low cap', async () => {
    await using target = await startFakeTarget();
    const caps = { perRequestUnits: 999n, totalUnits: 100_000n };
    const funded = { privateKey: target.payerKey, caps, journal: memoryJournal() };
    const report = await judged(target, { profiles: ['paid'], funded });
    expect(renderTree(report, noColours)).toMatch(/^ {2}\? \d\d+ checks: .*over the cap of 999/m);
  });

  it('names the Retry-After of a target without a list of models', async () => {
    await using target = await listenOnLoopback((_, response) =>
      response.writeHead(429, { 'Retry-After': '90' }).end(),
    );
    const result = await judge({ targetUrl: target.url, profiles: ['free'], filter: undefined });
    if (!result.ok) throw new Error(result.usage);
    expect(renderTree(result.report, noColours).split('\n')[0]).toBe(
      `${target.url} cannot be tested now: GET /v1/models returned 429, Retry-After 90. Try again later, or name a model with --model`,
    );
  });
});

describe('the summary', () => {
  it('has the verdict, then failures, then inconclusive checks, then the table', async () => {
    const report = await brokenReport('amount-as-number');
    expect(listIds(report, 'inconclusive').length).toBeGreaterThan(1);
    const text = renderMarkdown(report);
    const places = ['**NOT conformant**', '### Failed', '### Could not be exercised', '| section |'].map(
      (part) => text.indexOf(part),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('a refused correct payment', () => {
  it('with 401 leads to a hint about the domain in the offer', async () => {
    const named = (offer: string) => {
      const decoded = JSON.parse(Buffer.from(offer, 'base64').toString());
      return encodeBase64Json({ ...decoded, extra: { name: 'Another Token', version: '1' } });
    };
    await using target = await startFakeTarget(() => ({
      finish: (reply) => {
        const offer = reply.headers[headerNames.paymentRequired];
        return offer === undefined
          ? reply
          : { ...reply, headers: { ...reply.headers, [headerNames.paymentRequired]: named(offer) } };
      },
    }));
    const report = await judged(target);
    for (const id of ['chat.200.status', 'completions.200.status']) {
      expect(report.results.find(({ requirement }) => requirement === id)).toMatchObject({
        outcome: 'fail',
        detail: expect.stringContaining(
          'signed for the EIP-712 domain in the offer: extra.name "Another Token", extra.version "1", asset 0x',
        ),
      });
    }
  });

  it.each([
    ['behind', 2001],
    ['ahead of', 2101],
  ])('leads to a hint about a clock that is %s the clock of the suite', async (words, year) => {
    const date = new Date(Date.UTC(year, 0)).toUTCString();
    await using target = await startFakeTarget(() => ({
      finish: (reply) =>
        'X-PAYMENT-RESPONSE' in reply.headers ? { status: 402, headers: { Date: date }, body: {} } : reply,
    }));
    const report = await judged(target);
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(new RegExp(`clock is \\d{9,} s ${words} the clock of the suite$`)),
    });
  });
});
