import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';

/** Each offer rises by a third of the first one. The gateway keeps all offers, or only the newest. */
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
          : 'no such offer',
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
  it('is paid with an earlier valid offer, and leaves almost nothing inconclusive', async () => {
    const { report } = await reportOn(rising(true));
    expect(listIds(report, 'fail', 'warn', 'error')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual([
      'payment.completions.refused',
      'payment.over-maximum.refused',
    ]);
    expect(report.spent.settledPayments).toBeGreaterThan(8);
  });

  it('is subject to the same caps', async () => {
    const { report, rows } = await reportOn(rising(true), 40_000n);
    expect(listIds(report, 'fail', 'warn', 'error')).toEqual([]);
    for (const { value } of rows) expect(BigInt(value)).toBeLessThanOrEqual(40_000n);
  });

  it('does not hide that a payment to another recipient is served', async () => {
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
    expect(listIds(report, 'fail')).toContain('payment.other-recipient.refused');
  });

  it('leaves payments inconclusive if the gateway keeps only the newest offer', async () => {
    const { report } = await reportOn(rising(false));
    const failed = listIds(report, 'fail', 'warn', 'error');
    // Checks with payers without funds have already required that an offer is valid for its time.
    expect(failed.filter((id) => !id.startsWith('error.402.'))).toEqual([]);
    const open = report.results.find(({ requirement }) => requirement === 'chat.200.status');
    expect(open?.outcome).toBe('inconclusive');
    expect(open?.detail).toMatch(/rose from \d+ to \d+.*offer of request \d+.*402/);
  });
});
