import type { IncomingMessage } from 'node:http';
import { errorReply, type FinishedReply } from './reply.ts';

/** The limits of a request without its body. */
export type HeadLimits = { readonly headersMax: number; readonly targetBytesMax: number };

/**
 * Finds faults that do not depend on the path; null for none. Node would answer some of them without a body.
 */
export function findMalformed(
  { headers, httpVersion, rawHeaders, url = '/' }: IncomingMessage,
  { headersMax, targetBytesMax }: HeadLimits,
): FinishedReply | null {
  if (url.length > targetBytesMax)
    return errorReply('request_too_large', `The path and the query are over ${targetBytesMax} bytes.`);
  if (rawHeaders.length / 2 > headersMax)
    return errorReply('request_too_large', `The request has more than ${headersMax} headers; send fewer.`);
  if (httpVersion === '1.1' && headers.host === undefined)
    return errorReply('invalid_request', 'The request has no Host header; send one.', { param: 'Host' });
  return null;
}
