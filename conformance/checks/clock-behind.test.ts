import { expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

/** A gateway with a slow clock, for which every payment is not yet valid. */
const behind: Change = ({ termsFault }) => ({
  termsFault: (authorization, offer, nowSeconds) => termsFault(authorization, offer, nowSeconds - 120),
});
/** A gateway that returns a bare 402 to payers without funds. */
const silentOnFunds: Change = (sound) => ({
  error: (status, type, code) =>
    code === 'insufficient_funds'
      ? sound.paymentRequired(sound.offer('chat', ''))
      : sound.error(status, type, code),
});
const aboutFunds = ['error.402.code', 'error.402.envelope', 'error.402.type'];

it('leaves insufficient_funds inconclusive for a gateway with a slow clock', async () => {
  await using target = await startFakeTarget(behind);
  const report = await judged(target);
  expect(listIds(report, 'fail', 'warn', 'error')).toEqual(['chat.200.status', 'completions.200.status']);
  const open = listIds(report, 'inconclusive');
  expect(open).toEqual(
    expect.arrayContaining([...aboutFunds, 'funds.insufficient.402', 'funds.insufficient.completions']),
  );
});

it.each([
  ['that serves other payers', {}],
  ['without a funded payer in the run', { profiles: ['free', 'signed'] }],
] as const)('fails a gateway %s that does not return insufficient_funds', async (_, options) => {
  await using target = await startFakeTarget(silentOnFunds);
  const report = await judged(target, { ...options });
  expect(listIds(report, 'fail')).toEqual(aboutFunds);
});
