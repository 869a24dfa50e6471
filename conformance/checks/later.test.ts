import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import type { Json } from '../independent/steps.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { idsOf, judged } from '../testing/judged.ts';

async function reportOn(change: Change, options: Parameters<typeof judged>[1] = {}): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, options);
}

/** The receipt of every chat but the first is changed. */
function laterReceipts(edit: (receipt: Json) => Json): Change {
  return ({ receipt }) => {
    let before = 0;
    return {
      receipt: (authorization) => {
        before += 1;
        return before === 1 ? receipt(authorization) : edit(receipt(authorization));
      },
    };
  };
}

describe('paid answers', () => {
  it('are judged one by one, and the one that is wrong is named', async () => {
    const report = await reportOn(laterReceipts((receipt) => ({ ...receipt, chainId: 1 })));
    expect(idsOf(report, 'fail')).toEqual(['receipt.completions', 'served.receipt']);
    const [reported] = report.results.filter(({ requirement }) => requirement === 'served.receipt');
    expect(reported?.detail).toMatch(/^expected 84532; got 1 \(answer \d+, as receipt\.chainId\)$/);
    const cited = report.exchanges.filter(({ number }) => reported?.evidence.includes(number));
    expect(cited.filter(({ answer }) => answer?.status === 200).length).toBeGreaterThan(1);
  });

  it('have each fault told once: what a check of the first answer says is not said again', async () => {
    const withoutPayer: Change = ({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), payer: authorization.to }),
    });
    expect(idsOf(await reportOn(withoutPayer), 'fail')).toEqual(['receipt.completions', 'receipt.payer']);
    const alone = await reportOn(withoutPayer, { filter: 'served.' });
    expect(idsOf(alone, 'fail')).toEqual(['served.receipt']);
  });

  it('that were wrong in one way may be wrong in another', async () => {
    let before = 0;
    const report = await reportOn(({ answer }) => ({
      answer: (endpoint, body, nowSeconds) => {
        before += 1;
        const whole = answer(endpoint, body, nowSeconds);
        return before === 1 ? { ...whole, id: 7 } : { ...whole, model: 7 };
      },
    }));
    expect(idsOf(report, 'fail')).toEqual(['chat.body.id', 'completions.body.model', 'served.body']);
  });

  it('to a payment that was used before are not looked into: nothing is shown of them', async () => {
    const nonces = new Set<string>();
    let [isUsed, last] = [false, ''];
    const report = await reportOn(({ isSigned, finish }) => ({
      isSigned: (payment, offer) => {
        const { nonce } = payment.authorization;
        [isUsed, last] = [nonces.has(nonce), nonce];
        return isSigned(payment, offer);
      },
      finish: (reply, endpoint) => {
        const isRefused = isUsed && reply.status === 402;
        isUsed = false;
        if (reply.status === 200) nonces.add(last);
        return finish(isRefused ? { status: 200, headers: {}, body: {} } : reply, endpoint);
      },
    }));
    expect(report.results.find(({ requirement }) => requirement === 'payment.nonce-reuse')?.detail).toBe(
      'for the same request: 200; for another request: 200',
    );
    expect(idsOf(report, 'fail', 'warn')).toEqual([]);
  });

  it('show nothing where there is none', async () => {
    const report = await reportOn(
      ({ paymentRequired }) => ({ paymentRequired, termsFault: () => 'nothing is taken' }),
      {
        profiles: ['paid'],
        filter: 'served.',
      },
    );
    expect(idsOf(report, 'inconclusive')).toEqual([
      'served.body',
      'served.content-type',
      'served.model',
      'served.receipt',
    ]);
    expect(idsOf(report, 'pass')).toEqual([]);
  });
});

describe('a demand of payment', () => {
  /** Makes no offer to who sends a payment that it does not take. */
  const silentToPayers: Change = ({ paymentRequired, isSigned }) => {
    let isPaid = false;
    return {
      isSigned: (payment, offer) => {
        isPaid = true;
        return isSigned(payment, offer);
      },
      paymentRequired(offer) {
        const wasPaid = isPaid;
        isPaid = false;
        return wasPaid ? { status: 402, headers: {}, body: {} } : paymentRequired.call(this, offer);
      },
      finish: (reply) => {
        isPaid = false;
        return reply;
      },
    };
  };

  it('makes an offer also where a payment was refused', async () => {
    const report = await reportOn(silentToPayers);
    expect(idsOf(report, 'fail', 'warn')).toEqual(['error.402.offer']);
  });

  it('need make none where the balance is too low', async () => {
    const report = await reportOn(() => ({}), { profiles: ['signed'], filter: 'funds.' });
    const poor = report.exchanges.filter(({ answer }) => answer?.body.includes('insufficient_funds'));
    expect(poor.length).toBeGreaterThan(0);
    for (const { answer } of poor) expect(answer?.headers).not.toHaveProperty('x-payment-required');
    const all = await reportOn(() => ({}), { profiles: ['free', 'signed'] });
    expect(idsOf(all, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });
});

describe('a refusal', () => {
  const coded =
    (status: number, code: string): Change =>
    ({ error }) => {
      let before = 0;
      return {
        error: (...of) => {
          if (of[0] !== status) return error(...of);
          before += 1;
          return before < 3 ? error(...of) : error(of[0], of[1], code);
        },
      };
    };

  it.each([400, 401, 402])('of %i has the code of its row also the third time', async (status) => {
    expect(idsOf(await reportOn(coded(status, 'no')), 'fail')).toEqual([`error.${status}.code`]);
  });

  it('has a code of its own where the table has no row: a settlement type, a model', async () => {
    const report = await reportOn(({ bodyFault, acceptsSettlementType, error }) => {
      let isStrange = false;
      return {
        bodyFault: (...of) => {
          const fault = bodyFault(...of);
          isStrange = fault === 'model is not in the catalog';
          return fault;
        },
        acceptsSettlementType: (type) => {
          isStrange ||= !acceptsSettlementType(type);
          return acceptsSettlementType(type);
        },
        error: (status, type, code) =>
          isStrange && status === 400
            ? error(400, 'not_found_error', 'not_known')
            : error(status, type, code),
      };
    });
    expect(JSON.stringify(report.exchanges)).toContain('not_known');
    expect(idsOf(report, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });

  it('of a payment on other terms than its own has a code of its own', async () => {
    const report = await reportOn(({ paymentRequired, error }) => {
      let isRefused = false;
      return {
        termsFault: (authorization, offer, nowSeconds) => {
          isRefused = authorization.to !== offer['payTo'] || authorization.validBefore < nowSeconds;
          return isRefused ? 'not these terms' : undefined;
        },
        paymentRequired(offer) {
          const wasRefused = isRefused;
          isRefused = false;
          return wasRefused
            ? error(401, 'payment_error', 'not_these_terms')
            : paymentRequired.call(this, offer);
        },
      };
    });
    expect(JSON.stringify(report.exchanges)).toContain('not_these_terms');
    expect(idsOf(report, 'fail').filter((id) => id.startsWith('error.'))).toEqual([]);
  });
});
