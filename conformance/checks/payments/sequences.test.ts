import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { idsOf, judged } from '../../testing/judged.ts';

async function warningsOf(change: Change) {
  await using target = await startFakeTarget(change);
  const report = await judged(target);
  expect(idsOf(report, 'error')).toEqual([]);
  return idsOf(report, 'warn', 'fail');
}

describe('requests that follow one another', () => {
  it('hold nothing against a target that follows the contract, and cost no payment of their own', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { filter: 'sequence.' });
    expect(idsOf(report, 'pass')).toEqual(['sequence.paid-then-unpaid', 'sequence.refused-then-unpaid']);
    expect(idsOf(report, 'inconclusive', 'warn')).toEqual([]);
    expect(report.spent.payments).toBe(2);
  });

  it('find a door that a payment leaves open', async () => {
    let isOpen = false;
    const warnings = await warningsOf(({ answer, paymentRequired }) => ({
      answer: (...of) => {
        isOpen = true;
        return answer(...of);
      },
      paymentRequired(offer) {
        if (!isOpen) return paymentRequired.call(this, offer);
        return { status: 200, headers: {}, body: {} };
      },
    }));
    expect(warnings).toContain('sequence.paid-then-unpaid');
  });

  it('find a refusal after which there is no offer any more', async () => {
    let wasRefused = false;
    await using target = await startFakeTarget(({ error, paymentRequired }) => ({
      error: (status, type, code) => {
        wasRefused ||= code === 'insufficient_funds';
        return error(status, type, code);
      },
      paymentRequired(offer) {
        return wasRefused ? { status: 402, headers: {}, body: {} } : paymentRequired.call(this, offer);
      },
    }));
    const report = await judged(target, { profiles: ['signed'], filter: 'sequence.' });
    expect(
      report.results.filter(({ requirement }) => requirement === 'sequence.refused-then-unpaid'),
    ).toMatchObject([
      { outcome: 'pass' },
      { outcome: 'warn', detail: 'expected X-PAYMENT-REQUIRED on the 402; got none' },
      { outcome: 'inconclusive' },
    ]);
  });

  it('show nothing where a step before the last went wrong', async () => {
    await using target = await startFakeTarget(() => ({ checksBalanceFirst: true }));
    const report = await judged(target, { profiles: ['signed'], filter: 'sequence.' });
    const sequences = report.results.filter(({ requirement }) => requirement.startsWith('sequence.'));
    expect(sequences.find(({ title }) => title.includes('tampered'))).toMatchObject({
      outcome: 'inconclusive',
      detail: 'step 2, tampered, was answered 402 with code "insufficient_funds"',
    });
  });

  it('send one body: what is paid for is what the offer was for', async () => {
    await using target = await startFakeTarget();
    const { exchanges } = await judged(target, { filter: 'sequence.' });
    const paid = exchanges.filter(({ request }) => 'X-PAYMENT' in request.headers);
    expect(paid.length).toBeGreaterThan(3);
    for (const { number, request } of paid) {
      const asked = exchanges.slice(0, number - 1).filter((earlier) => earlier.request.body === request.body);
      expect(asked.some(({ answer }) => answer?.status === 402)).toBe(true);
    }
  });
});

describe('what must be the same wherever it shows', () => {
  it('is the token', async () => {
    const other = `0x${'07'.repeat(20)}`;
    const warnings = await warningsOf(({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'completions' && { asset: other }),
      }),
    }));
    expect(warnings).toContain('offer.same-token');
  });

  it('is not the recipient, which is only looked at', async () => {
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'completions' && { payTo: `0x${'07'.repeat(20)}` }),
      }),
    }));
    const report = await judged(target, { profiles: ['free'] });
    expect(report.exitCode).toBe(0);
    expect(report.results.find(({ requirement }) => requirement === 'offer.same-recipient')).toMatchObject({
      outcome: 'observed',
      detail: expect.stringMatching(/^two: /),
    });
  });

  it('is the shape of an error, also where an unknown settlement type brought it', async () => {
    await using target = await startFakeTarget(({ acceptsSettlementType, bodyFault, error }) => {
      let isStrange = false;
      return {
        bodyFault: (...of) => {
          isStrange = false;
          return bodyFault(...of);
        },
        acceptsSettlementType: (type) => {
          isStrange = !acceptsSettlementType(type);
          return !isStrange;
        },
        error: (status, type, code) =>
          isStrange && status === 400
            ? { status, headers: {}, body: 'no such type' }
            : error(status, type, code),
      };
    });
    const report = await judged(target, { profiles: ['free'] });
    expect(idsOf(report, 'fail')).toEqual(['error.400.envelope']);
  });

  it('is nothing that a target without prices must show', async () => {
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }),
    }));
    const report = await judged(target, { profiles: ['free', 'signed'] });
    expect(idsOf(report, 'not-applicable')).toEqual(
      expect.arrayContaining(['funds.insufficient.402', 'sequence.refused-then-unpaid']),
    );
    expect(idsOf(report, 'inconclusive')).not.toContain('sequence.refused-then-unpaid');
    expect(idsOf(report, 'fail', 'warn', 'error')).toEqual([]);
  });
});
