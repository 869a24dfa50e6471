import { expect, it } from 'vitest';
import { isObject } from '../../independent/body-rules.ts';
import { startFakeTarget } from '../../testing/fake-target.ts';
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
