import type { Mutant } from '../mutant.ts';
import { withJson } from '../wire-edits.ts';

/** A server that leaves the rest of a refused body unread does the same. */
const afterRefusal = (status: number): Mutant => ({
  id: `connection-broken-by-a-${status}`,
  does: `refuses the next request on a connection after a ${status}`,
  place: 'respond',
  kills: ['conditions.unpaid'],
  edge: () => {
    const broken = new WeakSet<object>();
    return {
      respond: (reply, asked) => {
        const error = { message: 'The body is not JSON.', type: 'invalid_request_error', code: 'bad_json' };
        if (broken.delete(asked.connection)) return withJson({ ...reply, status: 400 }, { error });
        if (reply.status === status) broken.add(asked.connection);
        return reply;
      },
    };
  },
});

/** Fails under load, and does not refuse the requests for the load. */
const manyAtOnce: Mutant = {
  id: 'eight-at-once-fail',
  does: 'returns 500 for each request that arrives while seven others are in progress',
  place: 'respond',
  kills: ['conditions.unpaid', 'error.none-5xx'],
  edge: () => {
    let underWay = 0;
    const failing = new WeakSet<object>();
    return {
      read: (asked) => {
        underWay += 1;
        if (underWay >= 8) failing.add(asked);
        return asked;
      },
      respond: (reply, asked) => {
        underWay -= 1;
        const error = { message: 'No.', type: 'server_error', code: 'internal_error' };
        return failing.has(asked) ? withJson({ ...reply, status: 500 }, { error }) : reply;
      },
    };
  },
};

/** Mutants that refuse an unpaid request that they accept at other times (D-435, D-446). */
export const repeatedRequestMutants: readonly Mutant[] = [
  ...[400, 401, 404, 405, 415].map(afterRefusal),
  manyAtOnce,
];
