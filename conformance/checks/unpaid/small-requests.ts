import { headerNames } from '@paid-inference/contract/constants';
import { ChatCompletionRequest, CompletionRequest } from '@paid-inference/contract/validators';
import { issueAfter } from '../../conditions/send.ts';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  chatBody,
  completionBody,
  type PaidEndpoint,
  paidEndpoints,
  plainText,
  question,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { jsonText } from '../../wire/json-text.ts';
import { isServed } from './served-unpaid.ts';

/** Members that ask for almost nothing. The contract leaves the validity of some of them open. */
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

const form = { 'Content-Type': 'application/x-www-form-urlencoded' } as const;
const ofType = (type: string) => ({ headers: { [headerNames.settlementType]: type } });

/** Headers that some clients send differently or leave out. A gateway need not accept such requests (D-205, D-246). */
const oddHeaders: Readonly<Record<string, Pick<Ask, 'headers' | 'lacks'>>> = {
  'no User-Agent': { lacks: ['User-Agent'] },
  'no Content-Type': { lacks: ['Content-Type'] },
  'the Content-Type of a form': { headers: form },
  'a body in chunks': { headers: { 'Transfer-Encoding': 'chunked' } },
  'a settlement type in capitals': ofType('PRIVATE'),
  'a settlement type that begins with a capital': ofType('Individual'),
  'an empty settlement type': ofType(''),
};

/** Bodies whose first bytes are not those of a JSON object (D-246). */
function oddBodies(model: string): Readonly<Record<string, Ask>> {
  const { chat, completions } = paidEndpoints;
  const asForm = (fields: Readonly<Record<string, string>>) =>
    ({ headers: form, text: `${new URLSearchParams(fields)}`, claim: 'invalid' }) as const;
  const message = { 'messages[0][role]': question.role, 'messages[0][content]': question.content };
  return {
    'white space before a chat': { path: chat.path, text: ` \r\n\t${jsonText(chatBody(model))}` },
    'a chat as a form': { path: chat.path, ...asForm({ model, ...message }) },
    'a text completion as a form': {
      path: completions.path,
      ...asForm({ model, prompt: plainText(model).prompt }),
    },
  };
}

/** Checks that small or odd requests are refused in any way or get 402, but are never served (§1, §5). */
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
  notServed('A chat with unusual headers is not served without payment', 'chat', (context) =>
    Object.entries(oddHeaders).map(([words, way]) => [
      words,
      { path: paidEndpoints.chat.path, body: chatBody(context.model), isRandom: true, ...way },
    ]),
  ),
  notServed('A body that does not begin like JSON is not served without payment', 'chat', ({ model }) =>
    Object.entries(oddBodies(model)).map(([words, request]) => [words, { ...request, isRandom: true }]),
  ),
];

function notServed(
  title: string,
  endpoint: PaidEndpoint,
  requestsOf: (context: Context) => readonly (readonly [words: string, request: Ask])[],
) {
  return check('unpaid.never-200', title, (context) =>
    // A gateway that returns no 402 fails other checks.
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
      return broken('no success without payment', `${describe(answered.value)} for ${words}`);
    }
    const issue = await issueAfter(context, answered.value);
    if (issue !== undefined) return unknown(issue);
    open ??= judgeTransient(answered.value);
  }
  return open ?? holds(`${requests.length} requests`);
}

/** Marked as random, so that no closing check judges how the request is refused. */
function smallRequest({ model }: Context, endpoint: PaidEndpoint, change: object): Ask {
  const body = { ...(endpoint === 'chat' ? chatBody(model) : completionBody(model)), ...change };
  const isValid = endpoint === 'chat' ? ChatCompletionRequest : CompletionRequest;
  const claim = isValid(body) ? 'valid' : 'invalid';
  return { path: paidEndpoints[endpoint].path, body, claim, isRandom: true };
}
