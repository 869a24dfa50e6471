import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';

const ample = { perRequestUnits: 2_000n, totalUnits: 100_000n };

describe('the profile paid', () => {
  it('fails nothing if the balance of the payer is too low', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: { privateKey: Wallet.createRandom().privateKey, caps: ample, journal: memoryJournal() },
    });
    expect(listIds(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.exitCode).toBe(3);
  });

  it('signs nothing over the caps, and reports the cap', async () => {
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

  it('pays only the first recipient', async () => {
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
    // The first offer may still be valid, so the suite tried to pay it.
    expect(journal.rows.map(({ payTo }) => payTo)).toContain(`0x${'1'.padStart(40, '0')}`);
    expect(new Set(journal.rows.map(({ payTo }) => payTo)).size).toBe(1);
  });

  it('continues with the first recipient after it refused others', async () => {
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'completions' && { payTo: `0x${'07'.repeat(20)}` }),
      }),
    }));
    const report = await judged(target, { profiles: ['paid'] });
    expect(listIds(report, 'pass')).toContain('chat.200.status');
    expect(listIds(report, 'inconclusive')).toContain('completions.200.status');
  });

  it('pays once for all checks of one chat response', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { profiles: ['paid'], filter: 'chat.body.choices.index' });
    expect(report.spent.payments).toBe(1);
    expect(listIds(report, 'pass')).toEqual(['chat.body.choices.index']);
  });

  it('makes three attempts at a tool call, and is inconclusive without one', async () => {
    await using target = await startFakeTarget(({ completion }) => ({
      completion: (endpoint, body, now) => completion(endpoint, { ...body, tools: [] }, now),
    }));
    const report = await judged(target, { profiles: ['paid'], filter: 'tools.' });
    // One more payment is for a request without tools, for comparison.
    expect(report.spent.payments).toBe(4);
    expect(listIds(report, 'inconclusive')).toEqual([
      'tools.call',
      'tools.finish-reason',
      'tools.round-trip',
    ]);
  });

  it('reports neither key nor signature, even if the target echoes its requests', async () => {
    await using target = await startFakeTarget(({ isSigned, completion }) => {
      const seen: string[] = [];
      return {
        isSigned: (payment, offer) => {
          const { signature } = payment;
          seen.push(signature, signature.toUpperCase(), signature.slice(2, 66), signature.slice(66, 130));
          const header = Buffer.from(JSON.stringify({ payload: payment })).toString('base64');
          seen.push(header, encodeURIComponent(header), header.replaceAll('/', '\\/'));
          return isSigned(payment, offer);
        },
        completion: (endpoint, body, now) => ({ ...completion(endpoint, body, now), id: seen }),
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
    for (const { response } of report.exchanges) {
      // Half a signature is as long as a nonce, which the placeholder of a payment contains.
      const reported = response?.body.replaceAll(/<payment [^>]*>/g, '') ?? '';
      expect(reported).not.toMatch(/[0-9a-f]{64}/i);
      expect(response?.body).not.toContain('eyJwYXlsb2Fk');
    }
  });
});

describe('a payment of more than the maximum', () => {
  const overMaximum = ['payment.completions.refused', 'payment.over-maximum.refused'];

  /** A gateway that accepts up to its current price, which rises by a number of units with every offer. */
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

  it.each([1, 3])('is inconclusive if each offer rises by %i and reaches the payment', async (units) => {
    await using target = await startFakeTarget(pricedAtArrival(units));
    const report = await judged(target, { profiles: ['paid'] });
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'inconclusive')).toEqual(overMaximum);
    expect(
      report.results.find(({ requirement }) => requirement === 'payment.over-maximum.refused')?.detail,
    ).toMatch(/^the price rises: the suite paid \d+, and the next offer asks for \d+$/);
  });

  it('fails if the next offer asks for less', async () => {
    const generous: Change = ({ termsFault }) => ({
      termsFault: (authorization, offer, nowSeconds) =>
        authorization.value === '1001' ? undefined : termsFault(authorization, offer, nowSeconds),
    });
    await using target = await startFakeTarget(generous);
    const report = await judged(target, { profiles: ['paid'] });
    expect(listIds(report, 'fail')).toEqual(overMaximum);
  });

  it('fails if it is neither served nor refused, with any next offer', async () => {
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
    expect(listIds(report, 'fail')).toEqual(overMaximum);
  });
});
