import { describe, expect, it } from 'vitest';
import { type Edge, openEdge } from '../../mutants/edge.ts';
import type { Asked } from '../../mutants/message.ts';
import { independentTarget } from '../../mutants/target.ts';
import { findEndpoint, readPayment, withJson } from '../../mutants/wire-edits.ts';
import { judge } from '../../suite/judge.ts';

/** The findings for a target behind an edge, and all requests that the edge got. */
async function found(edge: Edge, filter = 'conditions.unpaid') {
  const seen: { before: number; beside: number; bytes: number }[] = [];
  const { read = (asked) => asked, ...rest } = edge;
  const watching: Edge = {
    ...rest,
    read: (asked, forge) => {
      if (findEndpoint(asked)) {
        seen.push({ before: asked.before, beside: asked.beside, bytes: Buffer.byteLength(asked.text) });
      }
      return read(asked, forge);
    },
  };
  await using opened = await openEdge(watching, independentTarget());
  const judged = await judge({
    targetUrl: opened.url,
    profiles: ['free', 'signed'],
    filter,
    sleep: async () => undefined,
  });
  if (!judged.ok) throw new Error(judged.usage);
  return {
    report: judged.report,
    result: judged.report.results.find(({ requirement }) => requirement === filter),
    seen,
  };
}

/** Replaces any body by a valid one for the same model. */
function withPlainBody(asked: Asked): Asked {
  const { model } = JSON.parse(asked.text);
  const said =
    findEndpoint(asked) === 'completions'
      ? { prompt: 'Hi' }
      : { messages: [{ role: 'user', content: 'Hi' }] };
  return { ...asked, text: JSON.stringify({ model, ...said }) };
}

/** Refuses requests that meet a condition with a status. */
const refusing = (
  isMet: (asked: Parameters<NonNullable<Edge['read']>>[0]) => boolean,
  status = 400,
): Edge => ({
  respond: (reply, asked) =>
    findEndpoint(asked) && reply.status === 402 && isMet(asked)
      ? withJson(
          { ...reply, status },
          { error: { message: 'No.', type: 'invalid_request_error', code: 'no' } },
        )
      : reply,
});

describe('requests under conditions (D-150)', () => {
  it('use a reused connection, run concurrently, and are large', async () => {
    const { result, seen } = await found({});
    expect(result?.outcome).toBe('pass');
    expect(seen.some(({ before }) => before > 3)).toBe(true);
    expect(seen.filter(({ beside }) => beside === 3).length).toBeGreaterThan(2);
    expect(seen.some(({ bytes }) => bytes > 65_536)).toBe(true);
  });

  it('name the conditions that wrong responses share', async () => {
    const { result } = await found(
      refusing(({ before, headers }) => before > 0 && headers['x-settlement-type'] === 'private'),
    );
    expect(result).toMatchObject({ outcome: 'fail' });
    expect(result?.detail).toContain('a reused connection');
    expect(result?.detail).toContain('X-SETTLEMENT-TYPE private');
  });

  it('accept a size limit, but not one for a single settlement type', async () => {
    const isLarge = ({ text }: { text: string }) => text.length > 16_384;
    expect((await found(refusing(isLarge, 413))).result?.outcome).toBe('pass');
    const privately = await found(
      refusing((asked) => isLarge(asked) && asked.headers['x-settlement-type'] === 'private', 413),
    );
    expect(privately.result?.outcome).toBe('fail');
  });

  it('accept a listed model that is not sold, or at one endpoint only (D-454)', async () => {
    const isLast = ({ text }: { text: string }) => text.includes('maple/maple-tools');
    expect((await found(refusing(isLast, 404))).result?.outcome).toBe('pass');
    const ofText = await found(
      refusing((asked) => isLast(asked) && findEndpoint(asked) === 'completions', 404),
    );
    expect(ofText.result?.outcome).toBe('pass');
  });

  it('find a single model with accepted invalid bodies and unverified signatures', async () => {
    const isOne = (text: string) => text.includes('birch/birch-base');
    const unread = await found(
      { read: (asked) => (isOne(asked.text) ? withPlainBody(asked) : asked) },
      'conditions.invalid',
    );
    expect(unread.result?.outcome).toBe('fail');
    const unverified = await found(
      {
        respond: (reply, asked) =>
          isOne(asked.text) && reply.status === 401
            ? withJson({ ...reply, status: 402 }, { error: { message: 'No.', type: 'a', code: 'b' } })
            : reply,
      },
      'conditions.signature',
    );
    expect(unverified.result?.outcome).toBe('fail');
  });

  it('find refusals by a connection on which a request got 400 before (D-435)', async () => {
    const broken = new WeakSet<object>();
    const error = { message: 'Not JSON.', type: 'invalid_request_error', code: 'bad_json' };
    const { result } = await found({
      respond: (reply, { connection }) => {
        if (broken.delete(connection)) return withJson({ ...reply, status: 400 }, { error });
        if (reply.status === 400) broken.add(connection);
        return reply;
      },
    });
    expect(result?.outcome).toBe('fail');
  });

  it('are repeated alone if a gateway accepts one request at a time', async () => {
    expect((await found(refusing(({ beside }) => beside > 0, 429))).result?.outcome).toBe('pass');
  });

  it('are inconclusive for a size that gets 503', async () => {
    const { result } = await found(refusing(({ text }) => text.length > 65_536, 503));
    expect(result).toMatchObject({ outcome: 'inconclusive', detail: expect.stringContaining('70000 bytes') });
  });

  it('are inconclusive for a target that fails', async () => {
    let requests = 0;
    const { result } = await found({
      respond: (reply, asked) => {
        if (findEndpoint(asked)) requests += 1;
        return requests > 30 && findEndpoint(asked) ? { ...reply, status: 503 } : reply;
      },
    });
    expect(result?.outcome).toBe('inconclusive');
  });

  it.each<[string, string, (asked: Asked) => boolean]>([
    ['a wrong recipient', 'to-self', ({ headers }) => headers['x-settlement-type'] !== undefined],
    ['one unit more', 'one-over', ({ before }) => before > 0],
    ['a future window', 'not-yet-valid', ({ text }) => text.includes('"tools"')],
    ['a past window', 'expired', ({ text }) => !text.includes('alder/alder-mini')],
  ])('find %s that is accepted under a condition', async (_, terms, isMet) => {
    const { report } = await found(taking(terms, isMet), 'conditions.terms');
    const failing = report.results.filter(({ outcome }) => outcome === 'fail');
    expect(failing).toHaveLength(1);
    expect(failing[0]?.detail).toContain(
      'expected a refusal that does not name the balance; got 402 with code "insufficient_funds"',
    );
  });

  it('do not judge terms if an endpoint checks the balance first', async () => {
    const everywhere = await found(
      taking('expired', () => true),
      'conditions.terms',
    );
    const ofText = await found(
      taking('expired', (asked) => findEndpoint(asked) === 'completions'),
      'conditions.terms',
    );
    for (const { report } of [everywhere, ofText]) {
      const judged = report.results.filter(({ requirement }) => requirement === 'conditions.terms');
      expect(judged.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass', 'not-applicable']);
    }
  });

  it('accept an order of checks that changes from request to request', async () => {
    let requests = 0;
    const { report } = await found(
      taking('expired', () => {
        requests += 1;
        return requests > 2 && requests % 2 === 0;
      }),
      'conditions.terms',
    );
    expect(report.results.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(requests).toBeGreaterThan(4);
  });
});

/** Accepts a payment with such terms, by a payer without funds. */
function taking(terms: string, isMet: (asked: Asked) => boolean): Edge {
  return {
    read: async (asked, forge) => {
      const payment = readPayment(asked);
      if (!payment) return asked;
      const { to, from, value, validAfter, validBefore } = payment.authorization;
      const good = readPayment(await forge.paidBy('stranger', asked));
      const { nowSeconds } = forge;
      const isWrong = {
        'to-self': String(to).toLowerCase() === String(from).toLowerCase(),
        'one-over': BigInt(String(value)) > BigInt(String(good?.authorization['value'])),
        'not-yet-valid': Number(validAfter) > nowSeconds,
        expired: Number(validBefore) < nowSeconds,
      }[terms];
      return isWrong && isMet(asked) ? forge.paidBy('stranger', asked) : asked;
    },
  };
}
