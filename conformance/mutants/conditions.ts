import { jsonText } from '../wire/json-text.ts';
import type { Edge } from './edge.ts';
import type { Asked, Reply } from './message.ts';
import type { Mutant } from './mutant.ts';
import type { PaymentForge } from './payment-forge.ts';
import { findEndpoint, isObject, type Json, messagesIn, parsed } from './wire-edits.ts';

/** Whether a request meets a condition. `models` are the models that the gateway lists. */
export type Condition = (asked: Asked, models: readonly unknown[]) => boolean;

export const parseBody = ({ text }: Asked): Json => {
  const body = parsed(text);
  return isObject(body) ? body : {};
};

export const model =
  (index: number): Condition =>
  (asked, models) =>
    models.length > 2 && parseBody(asked)['model'] === models.at(index);
/** The model at a part of the list, from 0 to 1. */
export const modelAt =
  (part: number): Condition =>
  (asked, models) =>
    models.length > 2 && parseBody(asked)['model'] === models[Math.floor(models.length * part)];
export const anotherModel: Condition = (asked, models) => models.indexOf(parseBody(asked)['model']) > 0;
export const type =
  (name: string): Condition =>
  ({ headers }) =>
    headers['x-settlement-type'] === name;
export const isReused: Condition = ({ before }) => before > 0;
export const isBeside: Condition = ({ beside }) => beside > 0;
export const isLarge: Condition = ({ text }) => text.length > 65_536;
export const isLong: Condition = (asked) => jsonText(parseBody(asked)).length > 4_000;
export const isText: Condition = (asked) => findEndpoint(asked) === 'completions';
export const hasResult: Condition = (asked) =>
  messagesIn(parseBody(asked)).some(({ role }) => role === 'tool');
export const isSecondRound: Condition = (asked) =>
  messagesIn(parseBody(asked)).filter(({ tool_calls: calls }) => calls !== undefined).length > 1;
export const has =
  (member: string): Condition =>
  (asked) =>
    parseBody(asked)[member] !== undefined;
export const isStreamed: Condition = (asked) => parseBody(asked)['stream'] === true;
export const both =
  (...conditions: readonly Condition[]): Condition =>
  (asked, models) =>
    conditions.every((condition) => condition(asked, models));

/** An edge that remembers the models that the gateway lists. */
export function knowing(
  change: (isMet: (asked: Asked) => boolean) => Edge,
  condition: Condition,
): () => Edge {
  return () => {
    let models: readonly unknown[] = [];
    const isMet = (asked: Asked) => findEndpoint(asked) !== undefined && condition(asked, models);
    const { read, respond = (reply: Reply) => reply } = change(isMet);
    return {
      ...(read && { read }),
      respond(reply, asked, forge) {
        const list = asked.path.endsWith('/v1/models') ? parsed(reply.text) : undefined;
        if (isObject(list) && Array.isArray(list['data'])) {
          models = list['data'].map((entry) => (isObject(entry) ? entry['id'] : undefined));
        }
        return respond(reply, asked, forge);
      },
    };
  };
}

/** Adds to a change that the gateway accepts `stream: true`, and does not stream, unlike the reference gateway. */
export function takingStreams<T extends Pick<Mutant, 'edge'>>(changed: T): T {
  return {
    ...changed,
    edge: (): Edge => {
      const { read, ...others } = changed.edge();
      return {
        ...others,
        async read(asked, forge) {
          const plainForge: PaymentForge = {
            ...forge,
            paidBy: (whom, each) => forge.paidBy(whom, withoutStream(each)),
            recoverSigner: (each, reading) => forge.recoverSigner(withoutStream(each), reading),
          };
          return withoutStream(read ? await read(asked, plainForge) : asked);
        },
      };
    },
  };
}

function withoutStream(asked: Asked): Asked {
  if (!findEndpoint(asked) || parseBody(asked)['stream'] !== true) return asked;
  const { stream: _, ...body } = parseBody(asked);
  return { ...asked, text: jsonText(body) };
}
