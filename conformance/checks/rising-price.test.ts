import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';

/** Each offer asks for a third of the first more than the last one; each is kept, or the newest alone. */
function rising(isKept: boolean, change: Change = () => ({})): Change {
  return (sound) => {
    const offered = new Set<string>();
    let newest = '';
    const stands = (value: string) => (isKept ? offered.has(value) : value === newest);
    return {
      paymentRequired: (offer) => {
        newest = String(1_000 + 333 * offered.size);
        offered.add(newest);
        return sound.paymentRequired({ ...offer, maxAmountRequired: newest });
      },
      termsFault: (authorization, offer, nowSeconds) =>
        stands(authorization.value)
          ? sound.termsFault(authorization, { ...offer, maxAmountRequired: authorization.value }, nowSeconds)
          : 'no such offer stands',
      ...change(sound),
    };
  };
}

const caps = { perRequestUnits: 1_000_000n, totalUnits: 10_000_000n };

async function reportOn(change: Change, perRequestUnits = caps.perRequestUnits) {
  await using target = await startFakeTarget(change);
  const journal = memoryJournal();
  const funded = { privateKey: target.payerKey, caps: { ...caps, perRequestUnits }, journal };
  return { report: await judged(target, { funded }), rows: journal.rows };
}

describe('a price that rises by a third with every offer', () => {
  it('is paid at an earlier offer that still stands, and leaves next to nothing open', async () => {
    const { report } = await reportOn(rising(true));
    expect(idsOf(report, 'fail', 'warn', 'error')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual([
      'payment.completions.refused',
      'payment.over-maximum.refused',
    ]);
    expect(report.spent.settledPayments).toBeGreaterThan(8);
  });

  it('is held to the same caps', async () => {
    const { report, rows } = await reportOn(rising(true), 40_000n);
    expect(idsOf(report, 'fail', 'warn', 'error')).toEqual([]);
    for (const { value } of rows) expect(BigInt(value)).toBeLessThanOrEqual(40_000n);
  });

  it('is found out where it hides a fault: a payment to somebody else is served', async () => {
    const { report } = await reportOn(
      rising(true, (sound) => ({
        termsFault: (authorization, offer, nowSeconds) =>
          sound.termsFault(
            authorization,
            { ...offer, payTo: authorization.to, maxAmountRequired: authorization.value },
            nowSeconds,
          ),
      })),
    );
    expect(idsOf(report, 'fail')).toContain('payment.other-recipient.refused');
  });

  it('is held against nobody who keeps the newest offer alone: nothing is known of what was paid', async () => {
    const { report } = await reportOn(rising(false));
    const failed = idsOf(report, 'fail', 'warn', 'error');
    // That an offer is good for as long as it says was demanded of payers without funds before.
    expect(failed.filter((id) => !id.startsWith('error.402.'))).toEqual([]);
    const open = report.results.find(({ requirement }) => requirement === 'chat.200.status');
    expect(open?.outcome).toBe('inconclusive');
    expect(open?.detail).toMatch(/grew from \d+ to \d+.*offer of request \d+.*402/);
  });
});
