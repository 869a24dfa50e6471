import { headerNames } from '@paid-inference/contract/constants';
import { readGatewayError, readPaymentRequired } from '../payment/gateway-error.ts';
import type { Refusal } from '../payment/rules.ts';
import { purchasesMax, requestBytesMax } from './limits.ts';

/** An error in the form of OpenAI's API, which is also that of the contract (§7). */
export type ProxyError = {
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly message: string;
};

export function errorResponse({ status, type, code, message }: ProxyError): Response {
  const body = JSON.stringify({ error: { message, type, param: null, code } });
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (status < 500 && status !== 429) headers.set(headerNames.shouldRetry, 'false');
  return new Response(body, { status, headers });
}

const invalid = 'invalid_request_error';

/** The errors of requests that the proxy does not forward. */
export const errors = {
  notFound: {
    status: 404,
    type: invalid,
    code: 'not_found',
    message: 'The proxy serves /v1/chat/completions, /v1/completions and /v1/models.',
  },
  wrongMethod: {
    status: 405,
    type: invalid,
    code: 'method_not_allowed',
    message: 'Use POST for completions and GET for models.',
  },
  tooLarge: {
    status: 413,
    type: invalid,
    code: 'request_too_large',
    message: `The body is over ${requestBytesMax} bytes.`,
  },
  tooMany: {
    status: 429,
    type: 'rate_limit_error',
    code: 'too_many_purchases',
    message: `${purchasesMax} purchases are in progress. Send the request again later.`,
  },
} as const satisfies Record<string, ProxyError>;

/** The option that raises a limit. */
const options: Partial<Record<Refusal['reason'], string>> = {
  price_above_limit: '--max-price',
  hour_above_limit: '--max-per-hour',
  total_above_limit: '--max-total',
};

/** A spending rule refused the offer, and nothing was signed. */
export function refusedByRules({ reason, message }: Refusal): Response {
  const option = options[reason];
  const way = option === undefined ? '' : ` To allow it, start the proxy with another ${option}.`;
  const text = `The proxy did not pay: ${message}.${way}`;
  return errorResponse({ status: 402, type: 'payment_error', code: reason, message: text });
}

/** No response of the gateway. An equal request sends the same payment, if there is one. */
export function unreached(message: string): Response {
  return errorResponse({ status: 502, type: 'server_error', code: 'upstream_unreachable', message });
}

/** The gateway's response for a tool. An error that is not OpenAI's, such as a refused payment, becomes one. */
export async function translateResponse(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  if (readGatewayError(text) !== null) return new Response(text, response);
  const { status } = response;
  const reason = status === 402 ? readPaymentRequired(text) : null;
  return reason === null
    ? unreached(`The gateway returned ${status} without an error of the contract.`)
    : errorResponse({
        status,
        type: 'payment_error',
        code: 'payment_rejected',
        message: `The gateway rejected the payment: ${reason}.`,
      });
}
