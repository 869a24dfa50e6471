import { expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

/** Deeper than a stack is, and JSON all the same. */
const deep = '['.repeat(20_000) + ']'.repeat(20_000);

function offering(change: Record<string, unknown>): Change {
  return ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), ...change }) });
}

/** Replies of a status, with what is nested in them where the text stood. */
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
  ['a token named with half a character', offering({ extra: { name: 'x\ud800', version: '1' } })],
  ['a version of half a character', offering({ extra: { name: 'x', version: '\ud800' } })],
  ['an offer that ended before 1970', offering({ maxTimeoutSeconds: -9_000_000_000 })],
  ['a finish_reason of 20,000 levels', nesting(200, '"stop"', deep)],
  ['an error type of 20,000 levels', nesting(400, '"invalid_request_error"', deep)],
  ['a tool call of 20,000 levels', nesting(200, '"type":"function"', `"type":"function","x":${deep}`)],
])(
  '%s is no fault of the suite',
  async (_, change) => {
    await using target = await startFakeTarget(change);
    const report = await judged(target);
    expect(idsOf(report, 'error')).toEqual([]);
    expect(report.must.verified).toBeGreaterThan(0);
  },
  60_000,
);
