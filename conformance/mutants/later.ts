import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Edge } from './edge.ts';
import { type Of, replying } from './edits.ts';
import type { Asked, Reply } from './message.ts';
import type { Mutant } from './mutant.ts';
import { type Endpoint, withHeader } from './wire-edits.ts';

type Answer = NonNullable<Edge['answer']>;

/** Is right the first time, and from the second answer of its kind on changes it. */
export function later(
  id: string,
  does: string,
  kills: readonly RequirementId[],
  [endpoint, status]: readonly [Endpoint | undefined, number],
  change: (of: Of) => Answer,
  isOfKind: (asked: Asked, reply: Reply) => boolean = () => true,
): Mutant {
  return {
    id,
    does,
    kills,
    place: 'answer',
    edge: () => {
      let before = 0;
      const when = (asked: Asked, reply: Reply) => {
        if (reply.status !== status || !isOfKind(asked, reply)) return false;
        before += 1;
        return before > 1;
      };
      return { answer: change({ ...(endpoint && { endpoint }), when }) };
    },
  };
}

/** Declares answers as something else. */
export function declared(type: string, of: Of): Answer {
  return replying((reply) => withHeader(reply, 'Content-Type', type), of);
}

/** The request in which tools are offered to the model, before any was called. */
export function isToolTurn(asked: Asked): boolean {
  return asked.text.includes('"tools"') && !hasResults(asked);
}

/** The request in which a tool has answered. */
export function hasResults({ text }: Asked): boolean {
  return text.includes('"role":"tool"');
}
