import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';

const ample = { perRequestUnits: 2_000n, totalUnits: 100_000n };

describe('the profile paid', () => {
  it('holds nothing against a target if the payer owns too little', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: { privateKey: Wallet.createRandom().privateKey, caps: ample, journal: memoryJournal() },
    });
    expect(idsOf(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.exitCode).toBe(3);
  });

  it('signs nothing that is over the caps, and says so', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: {
        privateKey: target.payerKey,
        caps: { perRequestUnits: 999n, totalUnits: 100_000n },
        journal: memoryJournal(),
      },
    });
    expect(report.spent).toMatchObject({ signedUnits: '0', settledUnits: '0', payments: 0 });
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('over the cap of 999'),
    });
  });

  it('stops signing at the total cap', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: {
        privateKey: target.payerKey,
        caps: { perRequestUnits: 2_000n, totalUnits: 3_500n },
        journal: memoryJournal(),
      },
    });
    expect(report.spent).toMatchObject({ signedUnits: '3000', payments: 3 });
    expect(report.exitCode).toBe(3);
  });

  it('takes no other recipient than the first', async () => {
    let offers = 0;
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (...of) => {
        offers += 1;
        return { ...offer(...of), payTo: `0x${String(offers).padStart(40, '0')}` };
      },
    }));
    const journal = memoryJournal();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: { privateKey: target.payerKey, caps: ample, journal },
    });
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('payTo changed'),
    });
    // The first offer may still stand, so a payment for it was tried.
    expect(journal.rows.map(({ payTo }) => payTo)).toContain(`0x${'1'.padStart(40, '0')}`);
    expect(new Set(journal.rows.map(({ payTo }) => payTo)).size).toBe(1);
  });

  it('goes on with the recipient of the first offer, once others have been refused', async () => {
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'completions' && { payTo: `0x${'07'.repeat(20)}` }),
      }),
    }));
    const report = await judged(target, { profiles: ['paid'] });
    expect(idsOf(report, 'pass')).toContain('chat.200.status');
    expect(idsOf(report, 'inconclusive')).toContain('completions.200.status');
  });

  it('pays once for all that one chat answer shows', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['paid'], filter: 'chat.body.choices.index' });
    expect(report.spent.payments).toBe(1);
    expect(idsOf(report, 'pass')).toEqual(['chat.body.choices.index']);
  });

  it('gives a model three chances to call a tool, and no verdict if it does not', async () => {
    await using target = await startFakeTarget(({ answer }) => ({
      answer: (endpoint, body, now) => answer(endpoint, { ...body, tools: [] }, now),
    }));
    const report = await judged(target, { profiles: ['paid'], filter: 'tools.' });
    // One more is for the same without tools, beside which a refusal would lie with them.
    expect(report.spent.payments).toBe(4);
    expect(idsOf(report, 'inconclusive')).toEqual(['tools.call', 'tools.finish-reason', 'tools.round-trip']);
  });

  it('writes down neither key nor signature, though the target echoes what it gets', async () => {
    await using target = await startFakeTarget(({ isSigned, answer }) => {
      const seen: string[] = [];
      return {
        isSigned: (payment, offer) => {
          const { signature } = payment;
          seen.push(signature, signature.toUpperCase(), signature.slice(2, 66), signature.slice(66, 130));
          const header = Buffer.from(JSON.stringify({ payload: payment })).toString('base64');
          seen.push(header, encodeURIComponent(header), header.replaceAll('/', '\\/'));
          return isSigned(payment, offer);
        },
        answer: (endpoint, body, now) => ({ ...answer(endpoint, body, now), id: seen }),
      };
    });
    const journal = memoryJournal();
    const report = await judged(target, {
      profiles: ['signed', 'paid'],
      funded: { privateKey: target.payerKey, caps: ample, journal },
    });
    const text = JSON.stringify([report, journal.rows]);
    expect(text).toContain('<signature>');
    expect(text.toLowerCase()).not.toContain(target.payerKey.slice(2).toLowerCase());
    expect(text).not.toMatch(/0x[0-9a-f]{130}/i);
    expect(journal.rows.length).toBeGreaterThan(5);
    for (const { answer } of report.exchanges) {
      // Half a signature is as long as a nonce, and a nonce stands in the place of a payment.
      const reported = answer?.body.replaceAll(/<payment [^>]*>/g, '') ?? '';
      expect(reported).not.toMatch(/[0-9a-f]{64}/i);
      expect(answer?.body).not.toContain('eyJwYXlsb2Fk');
    }
  });
});

describe('a payment of more than the maximum', () => {
  const overMaximum = ['payment.completions.refused', 'payment.over-maximum.refused'];

  /** A gateway that takes up to what a request costs when its payment comes: more by so many units with every offer. */
  function pricedAtArrival(unitsMore: number): Change {
    return (sound) => {
      let price = 1_000;
      return {
        offer: (endpoint, url) => ({ ...sound.offer(endpoint, url), maxAmountRequired: String(price) }),
        paymentRequired(offer) {
          price += unitsMore;
          return sound.paymentRequired.call(this, offer);
        },
        termsFault: (authorization, offer, nowSeconds) => {
          const isFair = BigInt(authorization.value) <= BigInt(price) && BigInt(authorization.value) >= 999n;
          const asked = isFair ? { ...offer, maxAmountRequired: authorization.value } : offer;
          return sound.termsFault(authorization, asked, nowSeconds);
        },
      };
    };
  }

  it.each([1, 3])('shows nothing where each offer asks for %i more, as much as was paid', async (units) => {
    await using target = await startFakeTarget(pricedAtArrival(units));
    const report = await judged(target, { profiles: ['paid'] });
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
    expect(idsOf(report, 'inconclusive')).toEqual(overMaximum);
    expect(
      report.results.find(({ requirement }) => requirement === 'payment.over-maximum.refused')?.detail,
    ).toMatch(/^the price rises: \d+ was paid, and \d+ is asked for by now$/);
  });

  it('is too much where the next offer does not ask for it', async () => {
    const generous: Change = ({ termsFault }) => ({
      termsFault: (authorization, offer, nowSeconds) =>
        authorization.value === '1001' ? undefined : termsFault(authorization, offer, nowSeconds),
    });
    await using target = await startFakeTarget(generous);
    const report = await judged(target, { profiles: ['paid'] });
    expect(idsOf(report, 'fail')).toEqual(overMaximum);
  });

  it('is too much where it is answered otherwise than served and refused, whatever is asked for next', async () => {
    const sound = pricedAtArrival(1);
    await using target = await startFakeTarget((behaviour) => {
      const rising = sound(behaviour);
      let isOver = false;
      return {
        ...rising,
        termsFault: (authorization, offer, nowSeconds) => {
          isOver = BigInt(authorization.value) >= BigInt(String(offer['maxAmountRequired']));
          return rising.termsFault?.(authorization, offer, nowSeconds);
        },
        finish: (reply) => {
          const wasOver = isOver && reply.status === 200;
          isOver = false;
          return wasOver ? behaviour.error(403, 'payment_error', 'too_much') : reply;
        },
      };
    });
    const report = await judged(target, { profiles: ['paid'] });
    expect(idsOf(report, 'fail')).toEqual(overMaximum);
  });
});
