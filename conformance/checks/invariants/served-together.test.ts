import { describe, expect, it } from 'vitest';
import type { Report } from '../../engine/report.ts';
import type { Json } from '../../independent/steps.ts';
import { type Change, startFakeTarget } from '../../testing/fake-target.ts';
import { judged, listIds } from '../../testing/judged.ts';

async function reportOn(change: Change): Promise<Report> {
  await using target = await startFakeTarget(change);
  return await judged(target, { profiles: ['paid'] });
}

/** The only choice of a response, if its request matches. */
function choosing(isMet: (body: Json) => boolean, name: string): Change {
  const call = { id: 'call_9', type: 'function', function: { name, arguments: '{}' } };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  return ({ completion }) => ({
    completion: (endpoint, body, nowSeconds) => {
      const whole = completion(endpoint, body, nowSeconds);
      return endpoint === 'chat' && isMet(body)
        ? { ...whole, choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
        : whole;
    },
  });
}

function naming(name: (asked: string) => string): Change {
  return ({ completion }) => ({
    completion: (endpoint, body, nowSeconds) => ({
      ...completion(endpoint, body, nowSeconds),
      model: name(String(body['model'])),
    }),
  });
}

describe('transactions of receipts (§2.11, D-157)', () => {
  it('fail without a node if a later payment names an earlier transaction', async () => {
    const txHash = `0x${'5b'.repeat(32)}`;
    const report = await reportOn(({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), txHash }),
    }));
    expect(listIds(report, 'fail', 'warn')).toEqual(['served.receipt']);
    expect(report.results.find(({ outcome }) => outcome === 'fail')?.detail).toContain(txHash);
  });

  it('are compared without letter case', async () => {
    let at = 0;
    const report = await reportOn(({ receipt }) => ({
      receipt: (authorization) => {
        at += 1;
        const digits = ['ab'.repeat(32), 'AB'.repeat(32)][at - 1];
        const made = receipt(authorization);
        return digits === undefined ? made : { ...made, txHash: `0x${digits}` };
      },
    }));
    expect(listIds(report, 'fail', 'warn')).toEqual(['served.receipt']);
  });

  it('need not differ at a price of zero', async () => {
    const report = await reportOn(({ offer, receipt }) => ({
      offer: (...of) => ({ ...offer(...of), maxAmountRequired: '0' }),
      receipt: (authorization) => ({ ...receipt(authorization), txHash: `0x${'00'.repeat(32)}` }),
    }));
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
  });
});

describe('tools that must not be called (§2.1, D-158)', () => {
  it.each([
    ['that are not offered', choosing(({ tools }) => Array.isArray(tools), 'get_secrets')],
    ['where none are offered', choosing(({ tools }) => tools === undefined, 'get_weather')],
  ])('fail when a response calls functions %s', async (_, change) => {
    expect(listIds(await reportOn(change), 'fail', 'warn')).toContain('tools.offered');
  });

  it('lead to a warning with tool_choice `none`', async () => {
    const report = await reportOn(choosing((body) => body['tool_choice'] === 'none', 'get_weather'));
    expect(listIds(report, 'fail')).toEqual([]);
    expect(listIds(report, 'warn')).toEqual(['tools.none']);
  });

  it('are not applicable if no request with `none` was served', async () => {
    const report = await reportOn(({ bodyFault }) => ({
      bodyFault: (endpoint, body) =>
        JSON.stringify(body).includes('"none"') ? 'no' : bodyFault(endpoint, body),
    }));
    expect(listIds(report, 'pass')).not.toContain('tools.none');
  });
});

describe('the model in a response (§2.6, D-159)', () => {
  it.each([
    ['another listed model', () => 'alder/alder-mini'],
    ['one name for all models', () => 'in-forge'],
  ])('warns: %s', async (_, name) => {
    expect(listIds(await reportOn(naming(name)), 'fail', 'warn')).toEqual(['served.model']);
  });

  it('may be named more precisely', async () => {
    const report = await reportOn(naming((asked) => `${asked}-20260101`));
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'pass')).toContain('served.model');
  });
});

describe('the tokens of a response (§2.1, D-232)', () => {
  it('warns if a later response counts more than its `max_tokens`', async () => {
    let total = 0;
    const report = await reportOn(({ completion }) => ({
      completion: (endpoint, body, nowSeconds) => {
        total += 9;
        const usage = { prompt_tokens: 4, completion_tokens: total, total_tokens: 4 + total };
        return { ...completion(endpoint, body, nowSeconds), usage };
      },
    }));
    expect(listIds(report, 'warn')).toEqual(
      expect.arrayContaining(['chat.max_tokens.respected', 'completions.max_tokens.respected']),
    );
  });
});

describe('a text with a stop sequence of its request (§2.1, D-220)', () => {
  const saying =
    (content: string): Change =>
    ({ completion }) => ({
      completion: (endpoint, body, nowSeconds) => {
        const whole = completion(endpoint, body, nowSeconds);
        const message = { role: 'assistant', content };
        return endpoint === 'chat' && body['tools'] === undefined
          ? { ...whole, choices: [{ index: 0, message, finish_reason: 'stop' }] }
          : whole;
      },
    });

  it('warns if the text goes on', async () => {
    const report = await reportOn(saying('pong\n\npong'));
    expect(listIds(report, 'fail', 'warn')).toEqual(['served.stop']);
  });

  it('may end with the sequence, and begin with blanks', async () => {
    const report = await reportOn(saying('\n\npong\n\n'));
    expect(listIds(report, 'fail', 'warn')).toEqual([]);
    expect(listIds(report, 'pass')).toContain('served.stop');
  });
});
