import { ranges } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  SettlementType,
} from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import {
  chatBody,
  completionBody,
  type PaidEndpoint,
  paidEndpointNames,
  toolBody,
} from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import type { Paid } from '../../sources/paid-source.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { accepts } from './rejects.ts';

const { minimum, maximum } = ranges.ChatCompletionRequest.temperature;
const text = ranges.CompletionRequest.temperature;
/** Of two, three and four bytes in UTF-8, and one that JSON need not escape. */
const words = 'Répète en un mot : 日本 🍵\u2028';

/** A valid body that a gateway may stumble over, in words that end a sentence about a request. */
type Unusual<Body> = { readonly words: string; readonly of: (model: string) => Body };

const chats = {
  otherScripts: { words: 'in more than ASCII', of: (model) => withQuestion(chatBody(model), words) },
  conversation: {
    // As many as a call of a tool takes (contract 3): how many are too many is not shown (8).
    words: 'of three messages',
    of: (model) => {
      const { messages, ...rest } = chatBody(model);
      const [, ...question] = messages;
      const turns = [
        { role: 'user', content: 'Say ping.' },
        { role: 'assistant', content: 'Ping.' },
      ] as const;
      return { ...rest, messages: [...turns, ...question] };
    },
  },
  coldest: {
    words: `at temperature ${minimum}`,
    of: (model) => ({ ...chatBody(model), temperature: minimum }),
  },
  hottest: {
    words: `at temperature ${maximum}`,
    of: (model) => ({ ...chatBody(model), temperature: maximum }),
  },
} as const satisfies Record<string, Unusual<ChatCompletionRequest>>;

const texts = {
  otherScripts: { words: 'in more than ASCII', of: (model) => ({ ...completionBody(model), prompt: words }) },
  coldest: {
    words: `at temperature ${text.minimum}`,
    of: (model) => ({ ...completionBody(model), temperature: text.minimum }),
  },
  hottest: {
    words: `at temperature ${text.maximum}`,
    of: (model) => ({ ...completionBody(model), temperature: text.maximum }),
  },
} as const satisfies Record<string, Unusual<CompletionRequest>>;

/** With nothing but what is required (contract 2.5), and a short answer to give: its default of tokens is not shown. */
const bareText: Unusual<CompletionRequest> = {
  words: 'with nothing but `model` and `prompt`',
  of: (model) => ({ model, prompt: 'Answer with the one word pong.' }),
};

/**
 * What is asked for with each settlement type, so that nothing more is paid for it: a type is served whatever the body. Some
 * bear two marks, since there are more marks than types.
 */
export const unusualBodies: Readonly<
  Record<PaidEndpoint, Readonly<Record<SettlementType, Unusual<ChatCompletionRequest | CompletionRequest>>>>
> = {
  chat: {
    individual: {
      words: `${chats.otherScripts.words}, ${chats.hottest.words}`,
      of: (model) => withQuestion(chats.hottest.of(model), words),
    },
    private: chats.conversation,
    batch: {
      words: `${chats.coldest.words}, with a tool that must not be called`,
      of: (model) => ({ ...toolBody(model), tool_choice: 'none', temperature: minimum }),
    },
  },
  completions: {
    individual: {
      words: `${texts.otherScripts.words}, ${texts.hottest.words}`,
      of: (model) => ({ ...texts.hottest.of(model), prompt: words }),
    },
    private: bareText,
    batch: texts.coldest,
  },
};

/** Bodies that the contract allows, before payment (contract 2.1, 2.2, 2.5, 3, 8). */
export const acceptedBodyChecks = [
  ...Object.values(chats).map((each) =>
    accepts('body.valid.unpaid', `A chat ${each.words} is acceptable`, {
      twin: chatBody,
      bodies: (model) => [each.of(model)],
    }),
  ),
  ...Object.values(texts).map((each) =>
    accepts('body.valid.unpaid', `A text ${each.words} is acceptable`, {
      endpoint: 'completions',
      twin: completionBody,
      bodies: (model) => [each.of(model)],
    }),
  ),
];

/** The answers with a settlement type to an unusual body, and to the usual one where that was not served. */
export type Typed = {
  /** To the unusual body, for another model, on a reused connection, or beside other requests. */
  readonly conditional: (context: Context) => Promise<Found<Paid>>;
  readonly unusual: (context: Context) => Promise<Found<Paid>>;
  readonly usual: (context: Context) => Promise<Found<Paid>>;
};

/** The same bodies, once they are paid: refused beside a usual one that was served, the refusal lies with the body. */
export function paidBodyChecks(
  typed: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Typed>>>>,
) {
  return paidEndpointNames.flatMap((endpoint) =>
    (['private', 'individual', 'batch'] as const).map((type) =>
      check(
        'body.valid.paid',
        `A paid ${endpoint === 'chat' ? 'chat' : 'text'} ${unusualBodies[endpoint][type].words} is answered 200`,
        (context) =>
          given(
            context.once(typed[endpoint][type].unusual),
            ({ answered }): Judgement | Promise<Judgement> => {
              if (answered.outcome.status === 200) return holds();
              return (
                passing(answered) ??
                given(context.once(typed[endpoint][type].usual), ({ answered: usual }) =>
                  usual.outcome.status === 200
                    ? broken('status 200 for a valid body', describe(answered))
                    : unknown(`a usual body was not answered 200 either, but ${describe(usual)}`),
                )
              );
            },
          ),
      ),
    ),
  );
}

function withQuestion(body: ChatCompletionRequest, content: string): ChatCompletionRequest {
  const asked = body.messages.map((message) => (message.role === 'user' ? { ...message, content } : message));
  return { ...body, messages: asked };
}
