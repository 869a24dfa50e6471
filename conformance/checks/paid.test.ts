import { Wallet } from 'ethers';
import { describe, expect, it } from 'vitest';
import { idsOf, judged } from '../testing/judged.ts';
import { memoryJournal } from '../testing/memory-journal.ts';
import { startStandIn } from '../testing/stand-in.ts';

const ample = { perRequestUnits: 2_000n, totalUnits: 100_000n };

describe('the profile paid', () => {
  it('holds nothing against a target if the payer owns too little', async () => {
    await using target = await startStandIn();
    const report = await judged(target, {
      profiles: ['paid'],
      funded: { privateKey: Wallet.createRandom().privateKey, caps: ample, journal: memoryJournal() },
    });
    expect(idsOf(report, 'pass', 'fail', 'warn', 'error')).toEqual([]);
    expect(report.exitCode).toBe(3);
  });

  it('signs nothing that is over the caps, and says so', async () => {
    await using target = await startStandIn();
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
    await using target = await startStandIn();
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
    await using target = await startStandIn(({ offer }) => ({
      offer: (...of) => {
        offers += 1;
        return { ...offer(...of), payTo: `0x${String(offers).padStart(40, '0')}` };
      },
    }));
    const report = await judged(target, { profiles: ['paid'] });
    expect(report.results.find(({ requirement }) => requirement === 'chat.200.status')).toMatchObject({
      outcome: 'inconclusive',
      detail: expect.stringContaining('payTo changed'),
    });
    expect(report.spent.payments).toBe(0);
  });

  it('goes on with the recipient of the first offer, once others have been refused', async () => {
    await using target = await startStandIn(({ offer }) => ({
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
    await using target = await startStandIn();
    const report = await judged(target, { profiles: ['paid'], filter: 'chat.body.choices.index' });
    expect(report.spent.payments).toBe(1);
    expect(idsOf(report, 'pass')).toEqual(['chat.body.choices.index']);
  });

  it('gives a model three chances to call a tool, and no verdict if it does not', async () => {
    await using target = await startStandIn(({ answer }) => ({
      answer: (endpoint, body, now) => answer(endpoint, { ...body, tools: [] }, now),
    }));
    const report = await judged(target, { profiles: ['paid'], filter: 'tools.' });
    expect(report.spent.payments).toBe(3);
    expect(idsOf(report, 'inconclusive')).toEqual(['tools.call', 'tools.finish-reason', 'tools.round-trip']);
  });

  it('writes down neither key nor signature, though the target echoes what it gets', async () => {
    await using target = await startStandIn(({ isSigned, answer }) => {
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
      const told = answer?.body.replaceAll(/<payment [^>]*>/g, '') ?? '';
      expect(told).not.toMatch(/[0-9a-f]{64}/i);
      expect(answer?.body).not.toContain('eyJwYXlsb2Fk');
    }
  });
});
