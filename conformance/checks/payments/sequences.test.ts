import { describe, expect, it } from 'vitest';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

async function listWarnings(change: Change) {
  await using target = await startFakeTarget(change);
  const report = await judged(target);
  expect(listIds(report, 'error')).toEqual([]);
  return listIds(report, 'warn', 'fail');
}

describe('sequences of requests', () => {
  it('pass for a correct target, with three payments that other checks share', async () => {
    await using target = await startFakeTarget();
    const report = await judged(target, { filter: 'sequence.' });
    expect(listIds(report, 'pass')).toEqual(['sequence.paid-then-unpaid', 'sequence.refused-then-unpaid']);
    expect(listIds(report, 'inconclusive', 'warn')).toEqual([]);
    expect(report.spent.payments).toBe(3);
  });

  it('fail if a payment makes later requests free', async () => {
    let isOpen = false;
    const warnings = await listWarnings(({ completion, paymentRequired }) => ({
      completion: (...of) => {
        isOpen = true;
        return completion(...of);
      },
      paymentRequired(offer) {
        if (!isOpen) return paymentRequired.call(this, offer);
        return { status: 200, headers: {}, body: {} };
      },
    }));
    expect(warnings).toContain('sequence.paid-then-unpaid');
  });

  it('fail if the offer is missing after a refusal', async () => {
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
      { outcome: 'warn', detail: 'expected the header X-PAYMENT-REQUIRED on the 402; got no such header' },
      { outcome: 'warn' },
    ]);
  });

  it('are inconclusive if an earlier step failed', async () => {
    await using target = await startFakeTarget(() => ({ checksBalanceFirst: true }));
    const report = await judged(target, { profiles: ['signed'], filter: 'sequence.' });
    const sequences = report.results.filter(({ requirement }) => requirement.startsWith('sequence.'));
    expect(sequences.find(({ title }) => title.includes('tampered'))).toMatchObject({
      outcome: 'inconclusive',
      detail: 'step 2 (tampered) got 402 with code "insufficient_funds"',
    });
  });

  it('send the body of the offer with the payment', async () => {
    await using target = await startFakeTarget();
    const { exchanges, results } = await judged(target, { filter: 'sequence.' });
    // One check sends its payment with other bodies on purpose (D-245).
    const others = results.filter(({ title }) => title.startsWith('One payment sent'));
    const numbers = new Set(others.flatMap(({ evidence }) => evidence));
    const paid = exchanges.filter(
      ({ number, request }) => 'X-PAYMENT' in request.headers && !numbers.has(number),
    );
    expect(others).toHaveLength(1);
    expect(paid.length).toBeGreaterThan(3);
    for (const { number, request } of paid) {
      const asked = exchanges.slice(0, number - 1).filter((earlier) => earlier.request.body === request.body);
      expect(asked.some(({ response }) => response?.status === 402)).toBe(true);
    }
  });
});

describe('values that must be the same throughout a run', () => {
  it('include the token', async () => {
    const other = `0x${'07'.repeat(20)}`;
    const warnings = await listWarnings(({ offer }) => ({
      offer: (endpoint, url) => ({
        ...offer(endpoint, url),
        ...(endpoint === 'completions' && { asset: other }),
      }),
    }));
    expect(warnings).toContain('offer.same-token');
  });

  it('do not include the recipient, which is only observed', async () => {
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
      detail: expect.stringMatching(/^two recipients: /),
    });
  });

  it('include the form of errors, also for an unknown settlement type', async () => {
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
    expect(listIds(report, 'fail')).toEqual(['error.400.envelope']);
  });

  it('are not applicable to a target without prices', async () => {
    await using target = await startFakeTarget(({ offer }) => ({
      offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }),
    }));
    const report = await judged(target, { profiles: ['free', 'signed'] });
    expect(listIds(report, 'not-applicable')).toEqual(
      expect.arrayContaining(['funds.insufficient.402', 'sequence.refused-then-unpaid']),
    );
    expect(listIds(report, 'inconclusive')).not.toContain('sequence.refused-then-unpaid');
    expect(listIds(report, 'fail', 'warn', 'error')).toEqual([]);
  });
});
