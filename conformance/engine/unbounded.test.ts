import { expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

/** Deeper than the call stack allows, but valid JSON. */
const deep = '['.repeat(20_000) + ']'.repeat(20_000);

function offering(change: Record<string, unknown>): Change {
  return ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), ...change }) });
}

/** Replies with a status and with nested values in place of the text. */
function nesting(status: number, text: string, instead: string): Change {
  return () => ({
    finish: (reply) =>
      reply.status === status && JSON.stringify(reply.body).includes(text)
        ? { ...reply, body: JSON.stringify(reply.body).replace(text, instead) }
        : reply,
  });
}

it.each<[string, Change]>([
  ['an amount of 78 digits', offering({ maxAmountRequired: '9'.repeat(78) })],
  ['a token name with half a surrogate pair', offering({ extra: { name: 'x\ud800', version: '1' } })],
  ['a version with half a surrogate pair', offering({ extra: { name: 'x', version: '\ud800' } })],
  ['an offer that ended before 1970', offering({ maxTimeoutSeconds: -9_000_000_000 })],
  ['a finish_reason of 20,000 levels', nesting(200, '"stop"', deep)],
  ['an error type of 20,000 levels', nesting(400, '"invalid_request_error"', deep)],
  ['a tool call of 20,000 levels', nesting(200, '"type":"function"', `"type":"function","x":${deep}`)],
])(
  '%s causes no fault of the suite',
  async (_, change) => {
    await using target = await startFakeTarget(change);
    const report = await judged(target);
    expect(listIds(report, 'error')).toEqual([]);
    expect(report.must.verified).toBeGreaterThan(0);
  },
  60_000,
);
