import { headerNames } from '@paid-inference/contract/constants';

/** Origins that a browser may call from: every one, or none. Nothing here depends on cookies. */
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
];

const responseHeaders = Object.values(headerNames).filter((name) => !requestHeaders.includes(name));

/** On every answer, the failures too: a browser client must read the offer of a 402. */
export function corsHeaders({ allowOrigin }: Cors): Readonly<Record<string, string>> {
  if (allowOrigin === null) return {};
  return {
    'Access-Control-Allow-Origin': allowOrigin,
    'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
    'Access-Control-Allow-Headers': requestHeaders.join(', '),
    'Access-Control-Expose-Headers': [...responseHeaders, headerNames.requestId].join(', '),
    'Access-Control-Max-Age': '600',
    ...(allowOrigin !== '*' && { Vary: 'Origin' }),
  };
}
