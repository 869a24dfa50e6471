import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from './edge.ts';
import { replying, type Scope } from './edits.ts';
import type { Asked, Reply } from './message.ts';
import type { Mutant } from './mutant.ts';
import { type Endpoint, withHeader } from './wire-edits.ts';

type Respond = NonNullable<Edge['respond']>;

/** A mutant whose first response of a kind is correct. It changes every later one. */
export function later(
  id: string,
  does: string,
  kills: readonly RequirementId[],
  [endpoint, status]: readonly [Endpoint | undefined, number],
  change: (of: Scope) => Respond,
  isOfKind: (asked: Asked, reply: Reply) => boolean = () => true,
): Mutant {
  return {
    id,
    does,
    kills,
    place: 'respond',
    edge: () => {
      let before = 0;
      const when = (asked: Asked, reply: Reply) => {
        if (reply.status !== status || !isOfKind(asked, reply)) return false;
        before += 1;
        return before > 1;
      };
      return { respond: change({ ...(endpoint && { endpoint }), when }) };
    },
  };
}

/** Sends responses with another `Content-Type`. */
export function declared(type: string, of: Scope): Respond {
  return replying((reply) => withHeader(reply, 'Content-Type', type), of);
}

/** Whether a request offers tools and has no tool result. */
export function isToolTurn(asked: Asked): boolean {
  return asked.text.includes('"tools"') && !hasResults(asked);
}

/** Whether a request has a tool result. */
export function hasResults({ text }: Asked): boolean {
  return text.includes('"role":"tool"');
}
