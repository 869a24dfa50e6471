import { describe, expect, it } from 'vitest';
import { isObject } from '../../independent/body-rules.ts';
import { parseBody } from '../../mutants/conditions.ts';
import type { Edge } from '../../mutants/edge.ts';
import type { Asked } from '../../mutants/message.ts';
import { judgeThrough } from '../../mutants/run.ts';
import { independentTarget } from '../../mutants/target.ts';
import { findEndpoint } from '../../mutants/wire-edits.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

/** A target that rejects `stream: true`, and that checks the payment of a request before or after its body. */
async function judgeWithoutStreams(readsBodyFirst: boolean) {
  await using target = await startFakeTarget(({ bodyFault }) => ({
    readsBodyFirst,
    bodyFault: (endpoint, body) =>
      isObject(body) && body['stream'] === true ? 'no streams' : bodyFault(endpoint, body),
  }));
  return await judged(target, { profiles: ['free', 'signed'], filter: 'conditions.' });
}

it('does not fail a target that makes an offer for `stream: true` and then rejects the body with 400 (D-203)', async () => {
  const report = await judgeWithoutStreams(false);
  expect(listIds(report, 'fail')).toEqual([]);
  expect(listIds(report, 'inconclusive')).toContain('conditions.funds');
});

it('passes a target that rejects `stream: true` before it looks at the payment', async () => {
  const report = await judgeWithoutStreams(true);
  expect(listIds(report, 'fail')).toEqual([]);
  expect(listIds(report, 'pass')).toEqual(
    expect.arrayContaining(['conditions.funds', 'conditions.signature']),
  );
});

/** The requests that get 401, because the signature of their payment is wrong. */
async function forgedRequests(): Promise<readonly Asked[]> {
  const forged: Asked[] = [];
  const edge: Edge = {
    respond: (reply, asked) => {
      if (reply.status === 401) forged.push(asked);
      return reply;
    },
  };
  await judgeThrough(edge, independentTarget(), { profiles: ['signed'], filter: 'conditions.signature' });
  return forged;
}

it('sends a wrong signature for each endpoint with each settlement type and each body (D-150, D-247)', async () => {
  const forged = await forgedRequests();
  for (const endpoint of ['chat', 'completions']) {
    const sent = forged.filter((asked) => findEndpoint(asked) === endpoint);
    const types = sent.map(({ headers }) => headers['x-settlement-type']);
    expect(types).toEqual(expect.arrayContaining(['batch', 'individual', 'private']));
    const bodies = sent.map(parseBody);
    expect(bodies).toContainEqual(expect.objectContaining({ max_tokens: 1 }));
    expect(bodies).toContainEqual(expect.not.objectContaining({ max_tokens: expect.anything() }));
    expect(bodies).toContainEqual(expect.objectContaining({ temperature: 0 }));
    expect(sent.filter(({ text }) => text.includes('東京'))).not.toEqual([]);
  }
});

it('sends a wrong signature with chats that offer tools before and after a call, and with a large one (D-459)', async () => {
  const forged = (await forgedRequests()).filter((asked) => findEndpoint(asked) === 'chat');
  const roles = forged
    .map(parseBody)
    .filter(({ tools }) => Array.isArray(tools) && tools.length === 2)
    .map(({ messages }) => (Array.isArray(messages) ? messages.map(({ role }) => role) : []));
  expect(roles).toContainEqual(['system', 'user']);
  expect(roles).toContainEqual(['system', 'user', 'assistant', 'tool']);
  expect(forged.filter(({ text }) => text.length > 10_000)).not.toEqual([]);
});

describe('validAfter 0 (D-273)', () => {
  /** Rejects windows by their first moment. */
  const refusingStart =
    (isRefused: (validAfter: number) => boolean): Change =>
    ({ termsFault }) => ({
      termsFault: (...of) => (isRefused(of[0].validAfter) ? 'no such window' : termsFault(...of)),
    });

  it.each<[string, string, Change]>([
    ['must be served', 'fail', refusingStart((validAfter) => validAfter === 0)],
    [
      'is not paid if the target limits windows',
      'pass',
      refusingStart((validAfter) => validAfter < 1_000_000),
    ],
  ])('%s', async (_, outcome, change) => {
    await using target = await startFakeTarget(change);
    const report = await judged(target, { profiles: ['paid'], filter: 'conditions.paid' });
    const [result] = report.results.filter(({ title }) => title.includes('`validAfter` 0'));
    expect(result?.outcome).toBe(outcome);
    expect(listIds(report, 'fail')).toHaveLength(outcome === 'fail' ? 1 : 0);
  });
});
