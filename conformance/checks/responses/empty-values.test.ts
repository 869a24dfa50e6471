import { expect, it } from 'vitest';
import { startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

it.each(['id', 'model'])('fails: an empty `%s` of a completion (D-233)', async (field) => {
  await using target = await startFakeTarget(({ completion }) => ({
    completion: (endpoint, body, nowSeconds) => ({ ...completion(endpoint, body, nowSeconds), [field]: '' }),
  }));
  const report = await judged(target);
  expect(listIds(report, 'fail', 'warn')).toEqual([`chat.body.${field}`, `completions.body.${field}`]);
});

it.each(['payTo', 'asset'])(
  'fails: the zero address as `%s` of an offer, and signs none (D-233)',
  async (field) => {
    const zero = `0x${'00'.repeat(20)}`;
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (endpoint, url) => ({ ...offer(endpoint, url), [field]: zero }),
    }));
    const report = await judged(target);
    expect(listIds(report, 'fail')).toEqual([`offer.${field}`]);
    expect(report.spent.payments).toBe(0);
  },
);
