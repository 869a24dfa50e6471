import { headerNames } from '@paid-inference/contract/constants';

/** The origin that browsers may call from: `*`, one origin, or null for none. The gateway uses no cookies. */
export type Cors = { readonly allowOrigin: string | null };

const requestHeaders = [
  'Content-Type',
  'Authorization',
  headerNames.payment,
  headerNames.paymentSignature,
  headerNames.settlementType,
  headerNames.requestId,
  // Some x402 clients send this response header in the request. Their preflight fails unless it is allowed
  // here.
  'Access-Control-Expose-Headers',
  'Payment-Retry',
].join(', ');

const exposedHeaders = Object.values(headerNames)
  .filter((name) => name !== headerNames.payment && name !== headerNames.paymentSignature)
  .join(', ');

/** For every response to a browser, errors too: a client in a page must read the offer of a 402. */
export function corsHeaders(
  { allowOrigin }: Cors,
  { method, origin }: { readonly method: string; readonly origin: string },
): Readonly<Record<string, string>> {
  if (allowOrigin === null || origin === '') return {};
  return {
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Expose-Headers': exposedHeaders,
    ...(allowOrigin !== '*' && { Vary: 'Origin' }),
    ...(method === 'OPTIONS' && {
      'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
      'Access-Control-Allow-Headers': requestHeaders,
      'Access-Control-Max-Age': '600',
    }),
  };
}
