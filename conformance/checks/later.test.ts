import { describe, expect, it } from 'vitest';
import type { Report } from '../engine/report.ts';
import type { Json } from '../independent/steps.ts';
import { type Change, startFakeTarget } from '../testing/fake-target.ts';
import { judged, listIds } from '../testing/judged.ts';

async function reportOn(change: Change, options: Parameters<typeof judged>[1] = {}): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, options);
}

/** Changes the receipt of every chat except the first. */
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

describe('paid responses', () => {
  it('are judged one by one, and a wrong one is named', async () => {
    const report = await reportOn(laterReceipts((receipt) => ({ ...receipt, chainId: 1 })));
    expect(listIds(report, 'fail')).toEqual(['receipt.completions', 'served.receipt']);
    const [reported] = report.results.filter(({ requirement }) => requirement === 'served.receipt');
    expect(reported?.detail).toMatch(
      /^expected 84532; got 1 \(request \d+, by the rule of receipt\.chainId\)$/,
    );
    const cited = report.exchanges.filter(({ number }) => reported?.evidence.includes(number));
    expect(cited.filter(({ response }) => response?.status === 200).length).toBeGreaterThan(1);
  });

  it('have each fault reported once, by the check of the first response', async () => {
    const withoutPayer: Change = ({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), payer: authorization.to }),
    });
    expect(listIds(await reportOn(withoutPayer), 'fail')).toEqual(['receipt.completions', 'receipt.payer']);
    const alone = await reportOn(withoutPayer, { filter: 'served.' });
    expect(listIds(alone, 'fail')).toEqual(['served.receipt']);
  });

  it('with a reported fault are still judged by other rules', async () => {
    let before = 0;
    const report = await reportOn(({ completion }) => ({
      completion: (endpoint, body, nowSeconds) => {
        before += 1;
        const whole = completion(endpoint, body, nowSeconds);
        return before === 1 ? { ...whole, id: 7 } : { ...whole, model: 7 };
      },
    }));
    expect(listIds(report, 'fail')).toEqual(['chat.body.id', 'completions.body.model', 'served.body']);
  });

  it('to a used payment are not judged (§5)', async () => {
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
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
  });

  it('are inconclusive if there is none', async () => {
    const report = await reportOn(
      ({ paymentRequired }) => ({ paymentRequired, termsFault: () => 'nothing is taken' }),
      {
        profiles: ['paid'],
        filter: 'served.',
      },
    );
    expect(listIds(report, 'inconclusive')).toEqual([
      'served.body',
      'served.content-type',
      'served.model',
      'served.receipt',
      'served.stop',
    ]);
    expect(listIds(report, 'pass')).toEqual([]);
  });
});

describe('a 402 that asks for payment', () => {
  /** Makes no offer to a client whose payment it refuses. */
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

  it('must have an offer also after a refused payment', async () => {
    const report = await reportOn(silentToPayers);
    expect(listIds(report, 'fail', 'warn')).toEqual(['error.402.offer']);
  });

  it('needs no offer for insufficient funds', async () => {
    const report = await reportOn(() => ({}), { profiles: ['signed'], filter: 'funds.' });
    const poor = report.exchanges.filter(({ response }) => response?.body.includes('insufficient_funds'));
    expect(poor.length).toBeGreaterThan(0);
    for (const { response } of poor) expect(response?.headers).not.toHaveProperty('x-payment-required');
    const all = await reportOn(() => ({}), { profiles: ['free', 'signed'] });
    expect(listIds(all, 'fail', 'warn', 'inconclusive')).toEqual([]);
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

  it.each([400, 401, 402])('with %i must have the code of its row also the third time', async (status) => {
    expect(listIds(await reportOn(coded(status, 'no')), 'fail')).toEqual([`error.${status}.code`]);
  });

  it('may have its own code for faults without a row: settlement type, model', async () => {
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
    expect(listIds(report, 'fail', 'warn', 'inconclusive')).toEqual([]);
  });

  it('may have its own code for a payment with wrong terms', async () => {
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
    expect(listIds(report, 'fail').filter((id) => id.startsWith('error.'))).toEqual([]);
  });
});
