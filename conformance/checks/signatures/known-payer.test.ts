import { describe, expect, it } from 'vitest';
import type { SuiteOptions } from '../../suite/judge.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';
import { memoryJournal } from '../../testing/memory-journal.ts';

/** Accepts every payment in the name of a payer who was served this often, with any signature. */
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

/** Each offer has its own price, is checked before the signature, and ends when it is paid and served. */
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
    termsFault: ({ value }) => (standing.has(value) ? undefined : 'no such offer'),
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

describe('a payer who was served before (§3, §5)', () => {
  it.each([1, 5])('(%i times) must still sign each payment', async (times) => {
    const report = await reportOn(trustingServed(times));
    expect(listIds(report, 'fail')).toEqual(['signature.known-payer']);
  });

  it('is named for a new offer, because the paid one may be used up', async () => {
    let nowMs = 1_800_000_000_000;
    // After this time the first offer of the run is too old, and the paid one is not.
    const change = usingUpQuotes(() => {
      nowMs += 14_000;
    });
    const report = await reportOn(change, {
      clock: () => new Date(nowMs),
      filter: 'signature.known-payer',
    });
    expect(listIds(report, 'fail', 'inconclusive')).toEqual([]);
    expect(listIds(report, 'pass')).toEqual(['signature.known-payer']);
  });

  it('must not be served for a signature that the gateway fails to read', async () => {
    const change: Change = ({ isSigned }) => ({
      isSigned: (payment, offer) => !/^0x[0-9a-f]{130}$/i.test(payment.signature) || isSigned(payment, offer),
    });
    const report = await reportOn(change);
    expect(listIds(report, 'fail')).toEqual(['signature.known-payer']);
  });

  it('is checked five times, with one payment on each endpoint', async () => {
    const report = await reportOn(undefined, { filter: 'signature.known-payer' });
    expect(report.results.filter(({ outcome }) => outcome === 'pass')).toHaveLength(10);
    expect(report.spent.payments).toBe(2);
  });

  it('must not be taken for another payer who signed the payment', async () => {
    const change: Change = ({ isSigned, error }) => {
      let isForged = false;
      return {
        isSigned: (payment, offer) => {
          isForged = !isSigned(payment, offer);
          return !isForged;
        },
        error: (status, type, code) =>
          isForged && status === 401
            ? error(402, 'payment_error', 'insufficient_funds')
            : error(status, type, code),
      };
    };
    const report = await reportOn(change);
    expect(listIds(report, 'fail')).toEqual(['signature.known-payer']);
    // Only one payment follows here, so the gateway may have reserved the earlier ones.
    const short = await reportOn(change, { filter: 'signature.known-payer' });
    expect(listIds(short, 'fail')).toEqual([]);
    expect(listIds(short, 'inconclusive')).toEqual(['signature.known-payer']);
  });

  it('leaves the check inconclusive if no payment was served', async () => {
    const closed: Change = () => ({ termsFault: () => 'closed' });
    expect(listIds(await reportOn(closed), 'inconclusive')).toContain('signature.known-payer');
  });

  it('leaves the check inconclusive if the balance is checked first and too low', async () => {
    // Enough for one of the payments of the payer, who owns a hundred million units.
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
    expect(listIds(report, 'inconclusive')).toEqual(['signature.known-payer']);
    expect(listIds(report, 'pass', 'fail')).toEqual([]);
  });
});
