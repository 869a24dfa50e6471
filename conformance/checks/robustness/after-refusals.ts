import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { bodyFor, paidEndpoints, validRequest } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Requests with a body that a server often refuses before it reads the body: with 404, 405 and 415. */
const refusedEarly: Readonly<Record<string, Pick<Ask, 'path' | 'method' | 'headers'>>> = {
  'an unknown path': { path: '/v1/no-such-endpoint' },
  'another method': { path: paidEndpoints.chat.path, method: 'PUT' },
  'another media type': { path: paidEndpoints.chat.path, headers: { 'Content-Type': 'text/plain' } },
};

/**
 * Checks that a refusal leaves its connection usable (D-446). A server that does not read the body of a refused request
 * takes the body for the begin of the next request.
 */
export const afterRefusalChecks = Object.entries(refusedEarly).map(([words, refused]) =>
  check(
    'conditions.unpaid',
    `On the connection of a request with ${words}, an unpaid request gets 402 (chat)`,
    async (context) => {
      const usual = await paymentRequired(context, 'chat');
      return usual.ok ? judgeNext(context, refused) : usual.verdict;
    },
  ),
);

async function judgeNext(context: Context, refused: Ask): Promise<Judgement> {
  const plainly = validRequest('chat', bodyFor('chat', context.model));
  const sendBoth = async () => {
    // Marked as random, because a proxy may refuse it with a body of its own.
    const early = { ...refused, body: plainly.body, isRandom: true, isOnKeptConnection: true } as const;
    await context.send(early);
    return context.send({ ...plainly, isOnKeptConnection: true });
  };
  // A single wrong response may be a fault of the network.
  const wrong: Answered[] = [];
  for (let tries = 0; tries < 2; tries += 1) {
    const answered = await sendBoth();
    if (!answered.ok) return answered.verdict;
    const passed = judgeTransient(answered.value);
    if (passed) return passed;
    if (answered.value.outcome.status === 402) return holds();
    wrong.push(answered.value);
  }
  const elsewhere = await context.send(plainly);
  if (!elsewhere.ok) return elsewhere.verdict;
  // Other checks judge plain requests.
  if (elsewhere.value.outcome.status !== 402)
    return unknown(`a plain request got ${describe(elsewhere.value)}`);
  const actual = wrong.map((each) => `${describe(each)} for request ${each.number}`).join(', ');
  return broken('status 402, like on another connection', actual);
}
