import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../../suite/judge.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';
import { memoryJournal } from '../../testing/memory-journal.ts';

/** Takes whatever names a payer who was served so often before, whoever has signed it. */
function trustingServed(times: number): Change {
  const served = new Map<string, number>();
  const count = (from: string) => served.get(from) ?? 0;
  return ({ isSigned, receipt }) => ({
    isSigned: (payment, offer) => count(payment.authorization.from) >= times || isSigned(payment, offer),
    receipt: (authorization) => {
      served.set(authorization.from, count(authorization.from) + 1);
      return receipt(authorization);
    },
  });
}

/** Each offer has a price of its own, is looked for before the signature, and is gone once it was paid and served. */
function usingUpQuotes(onRequest: () => void): Change {
  const standing = new Set<string>();
  let more = 0;
  return (sound) => ({
    bodyFault: (...of) => {
      onRequest();
      return sound.bodyFault(...of);
    },
    paymentRequired: (offer) => {
      more += 1;
      standing.add(String(1_000 + more));
      return sound.paymentRequired({ ...offer, maxAmountRequired: String(1_000 + more) });
    },
    isSigned: (payment, offer) =>
      !standing.has(payment.authorization.value) || sound.isSigned(payment, offer),
    termsFault: ({ value }) => (standing.has(value) ? undefined : 'no such offer stands'),
    receipt: (authorization) => {
      standing.delete(authorization.value);
      return sound.receipt(authorization);
    },
  });
}

async function reportOn(change?: Change, options: Partial<SuiteOptions> = {}) {
  await using target = await startFakeTarget(change);
  return await judged(target, { profiles: ['paid'], ...options });
}

describe('contract 3, 5: who has been served before', () => {
  it.each([1, 5])('(%i times) must sign each payment all the same', async (times) => {
    const report = await reportOn(trustingServed(times));
    expect(idsOf(report, 'fail')).toEqual(['signature.known-payer']);
  });

  it('is named for an offer of its own: the one that was paid may be used up', async () => {
    let nowMs = 1_800_000_000_000;
    // So long that the first offer of the run is too old by then, and the one that was paid is not.
    const change = usingUpQuotes(() => {
      nowMs += 14_000;
    });
    const report = await reportOn(change, {
      clock: () => new Date(nowMs),
      filter: 'signature.known-payer',
    });
    expect(idsOf(report, 'fail', 'inconclusive')).toEqual([]);
    expect(idsOf(report, 'pass')).toEqual(['signature.known-payer']);
  });

  it('is asked about alone, four times, and paid for once on each endpoint', async () => {
    const report = await reportOn(undefined, { filter: 'signature.known-payer' });
    expect(report.results.filter(({ outcome }) => outcome === 'pass')).toHaveLength(8);
    expect(report.spent.payments).toBe(2);
  });

  it('is nobody, where the payer has not been served: nothing is known then', async () => {
    const closed: Change = () => ({ termsFault: () => 'closed' });
    expect(idsOf(await reportOn(closed), 'inconclusive')).toContain('signature.known-payer');
  });

  it('may own too little by then: where the balance is looked at first, nothing is known', async () => {
    // Enough for one payment of the hundred million units that the payer owns.
    await using target = await startFakeTarget(({ offer }) => ({
      checksBalanceFirst: true,
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
