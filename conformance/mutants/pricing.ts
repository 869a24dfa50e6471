import { parseBody } from './conditions.ts';
import type { Edge } from './edge.ts';
import { offering, reading } from './edits.ts';
import type { Asked } from './message.ts';

/** A gateway that accepts any number of tokens in a chat, and offers another amount for some numbers. */
export function pricing(amountFor: (tokens: number) => string | undefined): Edge {
  const amountOf = (asked: Asked) => amountFor(Number(parseBody(asked)['max_tokens']));
  return {
    read: (asked, forge) =>
      reading('chat', (body) => (amountOf(asked) === undefined ? undefined : { ...body, max_tokens: 16 }))(
        asked,
        forge,
      ),
    respond: offering((offer, asked) => {
      const maxAmountRequired = amountOf(asked);
      return maxAmountRequired === undefined ? offer : { ...offer, maxAmountRequired };
    }),
  };
}

/** Whether a number of tokens is above each sensible bound. */
export const isBeyondBounds = (tokens: number): boolean => tokens > 1e21;
