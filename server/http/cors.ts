import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';

/** The origin that browsers may call from: `*`, one origin, or null for none. The gateway uses no cookies. */
export type Cors = { readonly allowOrigin: string | null };

const allowedHeaders = [
  'Content-Type',
  'Authorization',
  headerNames.payment,
  headerNames.paymentSignature,
  headerNames.settlementType,
  headerNames.requestId,
  headerNames.idempotencyKey,
  // OpenAI's and other SDKs send these from a page.
  'User-Agent',
  'OpenAI-Organization',
  'OpenAI-Project',
  // Some x402 clients send this response header in the request. Their preflight fails unless it is allowed
  // here.
  'Access-Control-Expose-Headers',
  'Payment-Retry',
];

/** OpenAI's SDKs send headers of this kind, and new versions add some (D-266). */
const sdkHeadersMax = 32;
const sdkHeader = /^x-stainless-[a-z-]{1,40}$/i;

const { payment, paymentSignature, idempotencyKey, retryCount, ...exposed } = headerNames;
const exposedHeaders = Object.values(exposed).join(', ');

/** For every response to a browser, errors too: a client in a page must read the offer of a 402. */
export function corsHeaders(
  { allowOrigin }: Cors,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): Readonly<Record<string, string>> {
  if (allowOrigin === null || !headers.origin) return {};
  return {
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': exposedHeaders,
    ...(allowOrigin !== '*' && { Vary: 'Origin' }),
    ...(method === 'OPTIONS' && {
      'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
      'Access-Control-Allow-Headers': [...allowedHeaders, ...sdkHeaders(headers)].join(', '),
      'Access-Control-Max-Age': '600',
    }),
  };
}

function sdkHeaders({
  'access-control-request-headers': names = '',
}: IncomingHttpHeaders): readonly string[] {
  const sent = names.split(',').map((name) => name.trim());
  return sent.filter((name) => sdkHeader.test(name)).slice(0, sdkHeadersMax);
}
