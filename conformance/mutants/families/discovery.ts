import { isUnpaid, replying } from '../edits.ts';
import { type Mutant, responds } from '../mutant.ts';
import { findEndpoint, isPaid, withJson } from '../wire-edits.ts';

const refusal = { error: { message: 'No.', type: 'invalid_request_error', code: 'invalid_request' } };
const both = ['unpaid.chat.402', 'unpaid.completions.402'] as const;

/** Mutants that reject the first requests of the suite. The suite must test them all the same. */
export const discoveryMutants: readonly Mutant[] = [
  responds(
    'demands-a-settlement-type',
    'returns 400 for an unpaid request without `X-SETTLEMENT-TYPE`, and does not name the header',
    ['settlement-type.optional', ...both],
    replying(
      (reply, asked) =>
        reply.status === 402 && asked.headers['x-settlement-type'] === undefined
          ? withJson({ ...reply, status: 400 }, refusal)
          : reply,
      { when: isUnpaid },
    ),
  ),
  responds(
    'refuses-all-unpaid',
    'returns 400 for every unpaid request',
    both,
    replying((reply) => (reply.status === 402 ? withJson({ ...reply, status: 400 }, refusal) : reply), {
      when: isUnpaid,
    }),
  ),
  responds(
    'refuses-system-messages',
    'returns 400 for an unpaid chat with a system message',
    ['unpaid.chat.402', 'body.valid.unpaid'],
    replying((reply, asked) =>
      reply.status === 402 &&
      !isPaid(asked) &&
      findEndpoint(asked) === 'chat' &&
      asked.text.includes('"system"')
        ? withJson({ ...reply, status: 400 }, refusal)
        : reply,
    ),
  ),
];
