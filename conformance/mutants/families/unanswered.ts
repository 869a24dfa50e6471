import type { RequirementId } from '@paid-inference/contract/requirements';
import { type Condition, parseBody } from '../conditions.ts';
import type { Edge } from '../edge.ts';
import type { Asked } from '../message.ts';
import type { Mutant } from '../mutant.ts';
import { findEndpoint, isPaid, readPayment } from '../wire-edits.ts';

/** Mutants that send no usable response to one kind of request (contract 7). */
export const unansweredMutants: readonly Mutant[] = [
  cut('invalid-bodies-cut', 'closes the connection instead of returning 400', ['error.answered'], 400),
  cut('bad-signatures-cut', 'closes the connection instead of returning 401', ['error.answered'], 401),
  {
    ...cut('tools-cut', 'closes the connection for an unpaid request with tools', ['error.answered'], 402),
    edge: () => ({ send: cutting((asked, status) => status === 402 && hasTools(asked, [])) }),
  },
  {
    id: 'invalid-bodies-busy',
    does: 'returns 503 instead of 400',
    place: 'respond',
    kills: ['error.answered', 'error.none-5xx'],
    edge: () => ({
      respond: (reply, asked) =>
        reply.status === 400 && findEndpoint(asked) ? { ...reply, status: 503 } : reply,
    }),
  },
  {
    id: 'paid-body-cut',
    does: 'closes the connection before the last byte of a paid response body',
    place: 'send',
    kills: ['served.body'],
    edge: () => ({ send: cutting((asked, status) => status === 200 && isPaid(asked), 'after the head') }),
  },
];

function cut(id: string, does: string, kills: readonly RequirementId[], of: number): Mutant {
  return { id, does, place: 'send', kills, edge: () => ({ send: cutting((_, status) => status === of) }) };
}

const hasTools: Condition = (asked) =>
  parseBody(asked)['tools'] !== undefined && readPayment(asked) === undefined;

function cutting(
  isCut: (asked: Asked, status: number) => boolean,
  when: 'at once' | 'after the head' = 'at once',
): NonNullable<Edge['send']> {
  return (response, { status, headers, text }, asked) => {
    const length = { 'Content-Length': Buffer.byteLength(text) };
    if (!findEndpoint(asked) || !isCut(asked, status)) {
      response.writeHead(status, { ...headers, ...length }).end(text);
    } else if (when === 'at once') response.destroy();
    else {
      response.writeHead(status, { ...headers, ...length });
      response.write(text.slice(0, -1), () => response.destroy());
    }
  };
}
