import { endpoints, headerNames } from '@paid-inference/contract/constants';
import { errorTable } from '@paid-inference/contract/errors';
import { systemClock } from './clock.ts';
import { responseBytesMax, streamIdleMsMax } from './limits.ts';
import { createPayer, type Exchange, type PayerOptions, unwrapResponse } from './pay.ts';
import { streamAsResponse } from './stream/as-response.ts';
import { chatForm, textForm } from './stream/assembly.ts';

/**
 * A `fetch` that pays, for openapi-fetch, an OpenAI SDK, or any library that takes a `fetch`. Returns a 402
 * that the rules refuse, with the reason as its error. Without a response it rejects as `fetch` does, or with
 * `PaymentOutcomeUnknown` when a payment may have been settled. A streamed response has the events as they arrive.
 */
export function createPayingFetch(
  options: PayerOptions,
): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  const payer = createPayer(options);
  const { clock = systemClock, onStep = () => undefined } = options;
  const ports = { clock, onStep, bounds: { bytesMax: responseBytesMax, idleMs: streamIdleMsMax } };
  return async (input, init) => {
    const { url } = input instanceof Request ? input : new Request(input);
    const { pathname } = new URL(url);
    const isChat = pathname.endsWith(endpoints.createChatCompletion.path);
    if (!isChat && !pathname.endsWith(endpoints.createCompletion.path))
      return unwrapResponse(await payer.exchange(input, init));
    const exchange = await payer.stream(input, init);
    if (exchange.kind === 'refused') return refusedResponse(exchange);
    if (exchange.kind !== 'responded' || exchange.stream === null) return unwrapResponse(exchange);
    const responded = { ...exchange, stream: exchange.stream };
    return isChat
      ? streamAsResponse(responded, chatForm, ports)
      : streamAsResponse(responded, textForm, ports);
  };
}

/** The 402 of the gateway with its offer in the headers. SDKs show the error of the body. */
function refusedResponse({ received, refusal }: Extract<Exchange, { kind: 'refused' }>): Response {
  const { type, status } = errorTable.insufficient_funds;
  const message = `The client did not pay: ${refusal.message}.`;
  const body = JSON.stringify({ error: { message, type, code: refusal.reason, param: null } });
  const headers = new Headers(received.response.headers);
  headers.delete('Content-Length');
  headers.set('Content-Type', 'application/json');
  headers.set(headerNames.shouldRetry, 'false');
  return new Response(body, { status, headers });
}
