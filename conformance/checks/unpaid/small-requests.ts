import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { issueAfter } from '../../conditions/send.ts';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { chatBody, completionBody, type PaidEndpoint, paidEndpoints } from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { isServed } from './served-unpaid.ts';

/** Members of a body that asks for next to nothing. The contract does not say of each whether it is valid. */
const smallest: Readonly<Record<PaidEndpoint, Readonly<Record<string, object>>>> = {
  chat: {
    'empty content': { messages: [{ role: 'user', content: '' }] },
    'blank content': { messages: [{ role: 'user', content: ' ' }] },
    'content of one character': { messages: [{ role: 'user', content: '1' }] },
    '`max_tokens` 0': { max_tokens: 0 },
  },
  completions: {
    'an empty prompt': { prompt: '' },
    'a blank prompt': { prompt: ' ' },
    '`max_tokens` 0': { max_tokens: 0 },
  },
};

/** Headers that some clients send otherwise, or not at all. A gateway need not read such a request (D-205). */
const oddHeaders: Readonly<Record<string, Pick<Ask, 'headers' | 'lacks'>>> = {
  'no User-Agent': { lacks: ['User-Agent'] },
  'no Content-Type': { lacks: ['Content-Type'] },
  'the Content-Type of a form': { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
  'a body in chunks': { headers: { 'Transfer-Encoding': 'chunked' } },
};

/** Any refusal of such a request is right. A success is not (contract 1, 5). */
export const smallRequestChecks = [
  notServed('The smallest chats are not served without payment', 'chat', (context) =>
    Object.entries(smallest.chat).map(([words, change]) => [words, smallRequest(context, 'chat', change)]),
  ),
  notServed('The smallest texts are not served without payment', 'completions', (context) =>
    Object.entries(smallest.completions).map(([words, change]) => [
      words,
      smallRequest(context, 'completions', change),
    ]),
  ),
  notServed('A chat with the headers of an odd client is not served without payment', 'chat', (context) =>
    Object.entries(oddHeaders).map(([words, way]) => [
      words,
      { path: paidEndpoints.chat.path, body: chatBody(context.model), isRandom: true, ...way },
    ]),
  ),
];

function notServed(
  title: string,
  endpoint: PaidEndpoint,
  requestsOf: (context: Context) => readonly (readonly [words: string, request: Ask])[],
) {
  return check('unpaid.never-200', title, (context) =>
    // A gateway that asks for no payment is judged for that.
    given(paymentRequired(context, endpoint), () => judgeAll(context, requestsOf(context))),
  );
}

async function judgeAll(
  context: Context,
  requests: readonly (readonly [words: string, request: Ask])[],
): Promise<Judgement> {
  let open: Judgement | undefined;
  for (const [words, request] of requests) {
    const answered = await context.ask(request);
    if (!answered.ok) {
      open ??= answered.verdict;
      continue;
    }
    if (isServed(context, answered.value)) {
      return broken('no success without payment', `${describe(answered.value)} to ${words}`);
    }
    const issue = await issueAfter(context, answered.value);
    if (issue !== undefined) return unknown(issue);
    open ??= passing(answered.value);
  }
  return open ?? holds(`${requests.length} requests`);
}

/** Nothing that looks back judges how it is refused, so it is sent like a random one. */
function smallRequest({ model }: Context, endpoint: PaidEndpoint, change: object): Ask {
  const body = { ...(endpoint === 'chat' ? chatBody(model) : completionBody(model)), ...change };
  const isValid = endpoint === 'chat' ? ChatCompletionRequest : CompletionRequest;
  const claim = isValid(body) ? 'valid' : 'invalid';
  return { path: paidEndpoints[endpoint].path, body, claim, isRandom: true };
}
