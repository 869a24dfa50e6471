import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { json, startProxy } from '../testing/proxy.ts';

const rateLimited = { error: { message: 'No.', type: 'rate_limit_error', code: 'rate_limited' } };

type Issue = { readonly second?: number; readonly change?: Change };

/**
 * Answers the first payment by the funded key in its own way, and with `second` also the next one with its
 * nonce.
 */
async function reportOn(
  status: number,
  headers: Record<string, string>,
  { second, change = () => ({}) }: Issue = {},
) {
  await using target = await startFakeTarget(change);
  const journal = memoryJournal();
  let first: string | undefined;
  let sent = 0;
  await using proxy = await startProxy(target.url, async (request, forward) => {
    const nonce = readNonce(request.headers['x-payment']);
    // The funded key signed every payment in the journal.
    if (!journal.rows.some((row) => row.nonce === nonce)) return await forward();
    first ??= nonce;
    if (nonce !== first) return await forward();
    sent += 1;
    if (sent === 1) return json(status, rateLimited, headers);
    return sent === 2 && second !== undefined ? json(second, {}) : await forward();
  });
  const caps = { perRequestUnits: 2_000n, totalUnits: 100_000n };
  const report = await judged(
    { ...target, url: proxy.url },
    { sleep: async () => undefined, funded: { privateKey: target.payerKey, caps, journal } },
  );
  const states = journal.rows.filter(({ nonce }) => nonce === first).map(({ state }) => state);
  return { report, sent, states };
}

function readNonce(header: string | string[] | undefined): string | undefined {
  try {
    return JSON.parse(Buffer.from(String(header), 'base64').toString()).payload.authorization.nonce;
  } catch {
    return undefined;
  }
}

describe('a payment that got 429', () => {
  it('with Retry-After is retried unchanged, signed and counted once', async () => {
    const { report, sent, states } = await reportOn(429, { 'Retry-After': '1' });
    expect(listIds(report, 'fail', 'warn', 'inconclusive', 'error')).toEqual([]);
    expect(sent).toBeGreaterThan(1);
    expect(states).toEqual(['signing', 'settled']);
    expect(report.spent.unresolved).toEqual([]);
  });

  it('is inconclusive when its retry is refused', async () => {
    const { report, states } = await reportOn(429, { 'Retry-After': '1' }, { second: 409 });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringMatching(/^the payment got 429.*, and its retry got 409/),
    });
    expect(states).toEqual(['signing', 'refused']);
  });

  it('counts as unresolved when its retry got 503', async () => {
    const { report, states } = await reportOn(429, { 'Retry-After': '1' }, { second: 503 });
    expect(states).toEqual(['signing', 'unknown']);
    expect(report.spent.unresolved).toHaveLength(1);
  });

  it.each([
    ['without Retry-After', {}, 300],
    ['with a Retry-After above the limit', { 'Retry-After': '61' }, 300],
    ['with a Retry-After of more than half of the offer', { 'Retry-After': '6' }, 10],
  ] as const)('%s is not retried', async (_, headers, maxTimeoutSeconds) => {
    const change: Change = (sound) => ({
      offer: (...of) => ({ ...sound.offer(...of), maxTimeoutSeconds }),
    });
    expect(await reportOn(429, { ...headers }, { change })).toMatchObject({
      sent: 1,
      states: ['signing', 'refused'],
    });
  });
});

it('does not retry a payment that got 503', async () => {
  expect(await reportOn(503, { 'Retry-After': '1' })).toMatchObject({
    sent: 1,
    states: ['signing', 'unknown'],
  });
});
