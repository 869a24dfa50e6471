import { headerNames } from '@paid-inference/contract/constants';

/** Origin that a browser may call from: `*`, one origin, or null for none. Nothing here depends on cookies. */
export type Cors = { readonly allowOrigin: string | null };

const requestHeaders = [
  'Content-Type',
  'Authorization',
  headerNames.payment,
  headerNames.paymentSignature,
  headerNames.settlementType,
  headerNames.requestId,
  // x402 clients send this response header as a request header; without it here their preflight fails.
  'Access-Control-Expose-Headers',
  'Payment-Retry',
].join(', ');

const exposedHeaders = Object.values(headerNames)
  .filter((name) => name !== headerNames.payment && name !== headerNames.paymentSignature)
  .join(', ');

/** On every answer to a browser, the failures too: a client in a page must read the offer of a 402. */
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
