import type { ServerResponse } from 'node:http';
import type { BodyFault } from './read-body.ts';
import { errorReply, type FinishedReply } from './reply.ts';

/** The response to a body that did not arrive, or is not valid JSON. */
export function refuseBody(fault: BodyFault, response: ServerResponse): FinishedReply {
  // Unread bytes of the body must not be parsed as the next request of the connection.
  response.setHeader('Connection', 'close');
  switch (fault.kind) {
    case 'too-large':
      return errorReply('request_too_large', `The body is over ${fault.bodyBytesMax} bytes.`);
    case 'too-slow':
      return errorReply('invalid_request', `The body did not arrive within ${fault.bodyTimeoutMs} ms.`);
    case 'client-left':
      return errorReply('invalid_request', 'The body ended early.');
    case 'crowded-out': {
      const message = 'The gateway has too many large requests; send the same request again.';
      return errorReply('overloaded', message, { retryAfterSeconds: 1 });
    }
    case 'invalid':
      response.removeHeader('Connection');
      return errorReply('invalid_request', fault.message, { param: fault.param ?? null });
  }
}
