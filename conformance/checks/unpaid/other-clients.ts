import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import {
  bodyFor,
  charsetNamed,
  chatBody,
  type PaidEndpoint,
  paidEndpointNames,
  validRequest,
} from '../../sources/bodies.ts';
import { hasStatus } from '../../sources/judgements.ts';
import { paymentRequired } from '../../sources/sources.ts';
import type { Found } from '../../types/found.ts';
import { notApplicable } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';

/** Requests as other HTTP clients send them (RFC 9110, D-184, D-205, D-215, D-418). */
export const otherClient = {
  compressed: { 'Accept-Encoding': 'gzip, deflate' },
  smallNames: { hasSmallNames: true },
  anyResponse: { Accept: '*/*' },
  /** RFC 9110 §12.5.1: without the header, every media type is acceptable. */
  noAccept: { lacks: ['Accept'] },
  otherName: { 'User-Agent': 'curl/8.5.0' },
  charset: charsetNamed,
  /** RFC 9110 §8.3.1: media types are case-insensitive. */
  capitals: { 'Content-Type': 'Application/JSON' },
  /** RFC 9110 §8.3.1: the blank is optional, and the value of the charset is case-insensitive (D-434). */
  library: {
    'Content-Type': 'application/json;charset=UTF-8',
    Accept: 'application/json, text/plain, */*',
    'Accept-Encoding': 'gzip, deflate, br',
    'User-Agent': 'axios/1.7.9',
  },
  /** RFC 9112 §7.1: each recipient must be able to parse chunks. */
  chunks: { 'Transfer-Encoding': 'chunked' },
  /** JSON stays the preferred type. Libraries of x402 return HTML to a client of this name that accepts it. */
  browser: {
    Accept: 'application/json, text/html;q=0.9, */*;q=0.8',
    'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  },
} as const;

const ways: Readonly<Record<string, Pick<Ask, 'headers' | 'hasSmallNames' | 'lacks'>>> = {
  'accepts a compressed response': { headers: otherClient.compressed },
  'has header names in lower case': otherClient.smallNames,
  'accepts a response of any type': { headers: otherClient.anyResponse },
  'has no Accept header': otherClient.noAccept,
  'has the User-Agent of another client': { headers: otherClient.otherName },
  'names the charset of its JSON': { headers: otherClient.charset },
};

/** Sent to the chat endpoint only, because both should be alike (D-215). */
const waysOfChat: typeof ways = {
  'writes its media type with capitals': { headers: otherClient.capitals },
  'has the headers of a common library': { headers: otherClient.library },
  'has the headers of a browser': { headers: otherClient.browser },
};

/**
 * Checks that any HTTP client can use the service (§1): requests with the same meaning in HTTP get the same
 * response.
 */
export const otherClientChecks = [
  ...paidEndpointNames.flatMap((endpoint) => checksOf(endpoint)),
  check('unpaid.chat.402', 'An unpaid request in chunks gets 402 (chat)', async (context) => {
    const usual = await paymentRequired(context, 'chat');
    if (!usual.ok) return usual.verdict;
    const answered = await chatInChunks(context);
    if (!answered.ok) return answered.verdict;
    // RFC 9112 §6.3: a server may demand the length of a body.
    if (answered.value.outcome.status === 411) return notApplicable('the deployment demands a length');
    return hasStatus(answered.value, 402);
  }),
];

/** A chat with letters outside ASCII. */
function foreignChat(model: string): ChatCompletionRequest {
  const body = chatBody(model);
  const messages = body.messages.map((each) => ({ ...each, content: `${each.content} Grüße aus Köln.` }));
  return { ...body, messages };
}

/**
 * The response to an unpaid chat in chunks, one of which ends within a letter. It is marked as random, because a proxy may refuse it with a body of its own.
 */
export function chatInChunks(context: Context): Promise<Found<Answered>> {
  const request = validRequest('chat', foreignChat(context.model), otherClient.chunks);
  return context.ask({ ...request, isRandom: true });
}

function checksOf(endpoint: PaidEndpoint) {
  return Object.entries(endpoint === 'chat' ? { ...ways, ...waysOfChat } : ways).map(
    ([words, { headers, ...way }]) =>
      check(
        endpoint === 'chat' ? 'unpaid.chat.402' : 'unpaid.completions.402',
        `An unpaid request that ${words} gets 402 (${endpoint})`,
        async (context) => {
          // A gateway that returns no 402 fails other checks.
          const usual = await paymentRequired(context, endpoint);
          if (!usual.ok) return usual.verdict;
          const request = validRequest(endpoint, bodyFor(endpoint, context.model), headers);
          const answered = await context.ask({ ...request, ...way });
          return answered.ok ? hasStatus(answered.value, 402) : answered.verdict;
        },
      ),
  );
}
