import { describe, expect, it } from 'vitest';
import type { JudgeOptions } from '../engine/judge.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { type Change, startStandIn } from '../testing/stand-in.ts';

/** Takes whatever names a payer who was served before, whoever has signed it. */
function trustingServed(): Change {
  const served = new Set<string>();
  return ({ isSigned, receipt }) => ({
    isSigned: (payment, offer) => served.has(payment.authorization.from) || isSigned(payment, offer),
    receipt: (authorization) => {
      served.add(authorization.from);
      return receipt(authorization);
    },
  });
}

async function reportOn(change?: Change, options: Partial<JudgeOptions> = {}) {
  await using target = await startStandIn(change);
  return await judged(target, { profiles: ['paid'], ...options });
}

describe('contract 3, 5: who has been served before', () => {
  it('must sign each payment all the same', async () => {
    const report = await reportOn(trustingServed());
    expect(idsOf(report, 'fail')).toEqual(['signature.known-payer']);
  });

  it('is asked about alone, and paid for once on each endpoint', async () => {
    const report = await reportOn(undefined, { filter: 'signature.known-payer' });
    expect(report.results.filter(({ outcome }) => outcome === 'pass')).toHaveLength(2);
    expect(report.spent.payments).toBe(2);
  });

  it('is nobody, where the payer has not been served: nothing is known then', async () => {
    const closed: Change = () => ({ termsFault: () => 'closed' });
    expect(idsOf(await reportOn(closed), 'inconclusive')).toContain('signature.known-payer');
  });

  it('may own too little by then: where the balance is looked at first, nothing is known', async () => {
    // Enough for one payment of the hundred million units that the payer owns.
    await using target = await startStandIn(({ offer }) => ({
      looksAtBalanceFirst: true,
      offer: (...of) => ({ ...offer(...of), maxAmountRequired: '60000000' }),
    }));
    const caps = { perRequestUnits: 60_000_000n, totalUnits: 120_000_000n };
    const report = await judged(target, {
      profiles: ['paid'],
      filter: 'signature.known-payer',
      funded: { privateKey: target.payerKey, caps, journal: memoryJournal() },
    });
    expect(report.spent.settledUnits).toBe('60000000');
    expect(idsOf(report, 'inconclusive')).toEqual(['signature.known-payer']);
    expect(idsOf(report, 'pass', 'fail')).toEqual([]);
  });
});
