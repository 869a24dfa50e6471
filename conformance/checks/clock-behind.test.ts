import { expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

/** By its clock nothing that comes as a payment is valid yet. */
const behind: Change = ({ termsFault }) => ({
  termsFault: (authorization, offer, nowSeconds) => termsFault(authorization, offer, nowSeconds - 120),
});
/** Has nothing to say to whoever owns nothing. */
const silentOnFunds: Change = (sound) => ({
  error: (status, type, code) =>
    code === 'insufficient_funds'
      ? sound.paymentRequired(sound.offer('chat', ''))
      : sound.error(status, type, code),
});
const aboutFunds = ['error.402.code', 'error.402.envelope', 'error.402.type'];

it('a gateway whose clock is behind takes no payment: what it says to the poor is not known', async () => {
  await using target = await startFakeTarget(behind);
  const report = await judged(target);
  expect(idsOf(report, 'fail', 'warn', 'error')).toEqual(['chat.200.status', 'completions.200.status']);
  const open = idsOf(report, 'inconclusive');
  expect(open).toEqual(
    expect.arrayContaining([...aboutFunds, 'funds.insufficient.402', 'funds.insufficient.completions']),
  );
});

it.each([
  ['that serves others', {}],
  ['of which it is not known whether it serves others', { profiles: ['free', 'signed'] }],
] as const)('a gateway %s has to say that funds are wanting', async (_, options) => {
  await using target = await startFakeTarget(silentOnFunds);
  const report = await judged(target, { ...options });
  expect(idsOf(report, 'fail')).toEqual(aboutFunds);
});
