import type { IncomingMessage } from 'node:http';
import { errorReply, type FinishedReply } from './reply.ts';

/**
 * Finds faults that do not depend on the path; null for none. Node would answer some of them without a body.
 */
export function findMalformed(
  { headers, httpVersion, rawHeaders }: IncomingMessage,
  headersMax: number,
): FinishedReply | null {
  if (rawHeaders.length / 2 > headersMax)
    return errorReply('request_too_large', `The request has more than ${headersMax} headers; send fewer.`);
  if (httpVersion === '1.1' && headers.host === undefined)
    return errorReply('invalid_request', 'The request has no Host header; send one.', { param: 'Host' });
  return null;
}
