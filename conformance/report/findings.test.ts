import { headerNames } from '@paid-inference/contract/constants';
import { describe, expect, it } from 'vitest';
import { judge } from '../suite/judge.ts';
import { mutants } from '../testing/broken.ts';
import { listenOnLoopback, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { noColours } from '../testing/sample-reports.ts';
import { encodeBase64Json } from '../wire/base64-json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderTree } from './tree.ts';

const amount = mutants.find(({ id }) => id === 'amount-as-number');

describe('the end of what is printed', () => {
  it.each([
    ['in short', false],
    ['whole', true],
  ])('names what failed below all that the failure left open: %s', async (_, isWhole) => {
    await using target = await startFakeTarget(amount?.change);
    const lines = renderTree(await judged(target), noColours, { isWhole }).split('\n');
    const named = lines.findLastIndex((line) => line.includes('✗ '));
    expect(lines.slice(named, named + 2).join(' ')).toMatch(
      /✗ offer\.maxAmountRequired.*: expected a decimal integer string; got the number 1000/,
    );
    expect(named).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('  ? ')));
  });

  it('names nothing where nothing failed or was left open', async () => {
    await using target = await startFakeTarget();
    for (const isWhole of [false, true]) {
      const text = renderTree(await judged(target, { profiles: ['free'] }), noColours, { isWhole });
      expect(text).not.toMatch(/^ *[✗?] |exercised/m);
    }
  });

  it('says why most of it is inconclusive: a cap that is too low', async () => {
    await using target = await startFakeTarget();
    const caps = { perRequestUnits: 999n, totalUnits: 100_000n };
    const funded = { privateKey: target.payerKey, caps, journal: memoryJournal() };
    const report = await judged(target, { profiles: ['paid'], funded });
    expect(renderTree(report, noColours)).toMatch(/^ {2}\? \d\d+ checks: .*over the cap of 999/m);
  });

  it('says how long a target asks to be left alone that gives no list of models', async () => {
    await using target = await listenOnLoopback((_, response) =>
      response.writeHead(429, { 'Retry-After': '49' }).end(),
    );
    const result = await judge({ targetUrl: target.url, profiles: ['free'], filter: undefined });
    if (!result.ok) throw new Error(result.usage);
    expect(renderTree(result.report, noColours).split('\n')[0]).toBe(
      `${target.url} cannot be judged now: GET /v1/models was answered 429, Retry-After 49: try again then, or name a model with --model`,
    );
  });
});

describe('the summary', () => {
  it('has the verdict first, then what failed, what was open, and the table last', async () => {
    await using target = await startFakeTarget(amount?.change);
    const report = await judged(target);
    expect(idsOf(report, 'inconclusive').length).toBeGreaterThan(1);
    const text = renderMarkdown(report);
    const places = ['**NOT conformant**', '### Failed', '### Could not be exercised', '| section |'].map(
      (part) => text.indexOf(part),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('a good payment that is refused', () => {
  it('with 401 leads to the domain that the offer named', async () => {
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
          'signed for: extra.name "Another Token", extra.version "1", asset 0x',
        ),
      });
    }
  });

  it.each([
    ['behind', 2001],
    ['ahead of', 2101],
  ])('by a clock that is %s ours leads to it', async (words, year) => {
    const date = new Date(Date.UTC(year, 0)).toUTCString();
    await using target = await startFakeTarget(() => ({
      finish: (reply) =>
        'X-PAYMENT-RESPONSE' in reply.headers ? { status: 402, headers: { Date: date }, body: {} } : reply,
    }));
    const report = await judged(target);
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'fail',
      detail: expect.stringMatching(new RegExp(`its clock is \\d{9,} s ${words} ours$`)),
    });
  });
});
