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
  conversationBody,
  type PaidEndpoint,
  paidEndpointNames,
  question,
  specialTokens,
  toolBody,
  weatherTool,
} from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import type { Paid } from '../../sources/paid-source.ts';
import type { Found } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import { accepts } from './rejects.ts';
import { twoStops } from './valid-edges.ts';

const { minimum, maximum } = ranges.ChatCompletionRequest.temperature;
const text = ranges.CompletionRequest.temperature;
/** Characters of two, three and four bytes in UTF-8, and U+2028, which JSON need not escape. */
const words = 'Répète en un mot : 日本 🍵\u2028';

const beyondAscii = 'with text beyond ASCII';

/** Signs with a meaning in templates, databases and JSON. */
const signs = `"it's" {x} 100 % \\ $& <b>`;

/** A name of capitals, digits and signs, and nested parameters. Random bodies have them too. */
const tripTool = {
  type: 'function',
  function: {
    name: 'Plan-trip_2',
    description: 'Plans a trip.',
    parameters: {
      type: 'object',
      properties: {
        cities: {
          type: 'array',
          description: 'Names of the cities',
          items: { type: 'string', description: 'Name of a city' },
        },
        stay: {
          type: 'object',
          description: 'Length of the stay',
          properties: { days: { type: 'integer', description: 'Number of days' } },
          required: ['days'],
        },
      },
      required: ['cities'],
    },
  },
} as const;

/** An assistant message between two system messages, before the question. */
function ofManyRoles(model: string): ChatCompletionRequest {
  const { messages, ...rest } = chatBody(model);
  const [system] = messages;
  const before = system === undefined ? [] : [system, { role: 'assistant', content: 'Ping.' } as const];
  return { ...rest, messages: [...before, ...messages] };
}

/** Two questions in a row. */
function askedTwice({ messages, ...rest }: ChatCompletionRequest): ChatCompletionRequest {
  return { ...rest, messages: [question, ...messages] };
}

/** A valid body that a gateway may mishandle. `words` complete the title of a check. */
type Unusual<Body> = { readonly words: string; readonly of: (model: string) => Body };

const chats = {
  otherScripts: { words: beyondAscii, of: (model) => withQuestion(chatBody(model), words) },
  conversation: {
    // As many messages as a tool call needs (§3), because the contract defines no upper limit (§8).
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
  otherScripts: {
    words: `${beyondAscii} and tokens of models`,
    of: (model) => ({ ...completionBody(model), prompt: `${words} ${specialTokens}` }),
  },
  coldest: {
    words: `at temperature ${text.minimum}`,
    of: (model) => ({ ...completionBody(model), temperature: text.minimum }),
  },
  hottest: {
    words: `at temperature ${text.maximum}`,
    of: (model) => ({ ...completionBody(model), temperature: text.maximum }),
  },
} as const satisfies Record<string, Unusual<CompletionRequest>>;

/**
 * A body with required fields only (§2.5), whose completion is short: the contract shows no default of tokens
 * for text.
 */
const bareText: Unusual<CompletionRequest> = {
  words: 'with nothing but `model` and `prompt`',
  of: (model) => ({ model, prompt: 'Answer with the one word pong.' }),
};

/**
 * Unusual bodies that are paid for together with a settlement type, which saves payments: a type is served with
 * any body. Most bodies have several features, because there are more features than types. Another check demands
 * each feature of an unpaid request (D-231).
 */
export const unusualBodies: Readonly<
  Record<PaidEndpoint, Readonly<Record<SettlementType, Unusual<ChatCompletionRequest | CompletionRequest>>>>
> = {
  chat: {
    individual: {
      words: `after an assistant message between two system messages, with names and two stop sequences, ${beyondAscii} on two lines, with signs of programs, ${chats.hottest.words}`,
      of: (model) => ({
        ...withNames(withQuestion(ofManyRoles(model), `${words}\n${signs}`)),
        temperature: maximum,
        stop: twoStops,
      }),
    },
    private: {
      words:
        'after two questions, a tool call without `content` and a result in plain text, without `tools`, for one token, at temperature 0.7',
      of: (model) => ({
        ...withoutTools(askedTwice(withResult(conversationBody(model), '4 degrees'))),
        max_tokens: 1,
        temperature: 0.7,
      }),
    },
    batch: {
      words: `${chats.coldest.words}, with two tools that must not be called, one of nested parameters`,
      of: (model) => ({
        ...toolBody(model),
        tools: [weatherTool, tripTool],
        tool_choice: 'none',
        temperature: minimum,
      }),
    },
  },
  completions: {
    individual: {
      words: `with two stop sequences, ${beyondAscii} on two lines, with signs of programs, ${texts.hottest.words}`,
      of: (model) => ({ ...texts.hottest.of(model), prompt: `${words}\n${signs}`, stop: twoStops }),
    },
    private: bareText,
    batch: {
      words: `for one token, ${texts.coldest.words}`,
      of: (model) => ({ ...texts.coldest.of(model), max_tokens: 1 }),
    },
  },
};

/** Checks that valid bodies are accepted before payment (§2.1, §2.2, §2.5, §3, §8). */
export const acceptedBodyChecks = [
  ...Object.values(chats).map((each) =>
    accepts('body.valid.unpaid', `A chat ${each.words} is accepted`, {
      twin: chatBody,
      bodies: (model) => [each.of(model)],
    }),
  ),
  ...Object.values(texts).map((each) =>
    accepts('body.valid.unpaid', `A text ${each.words} is accepted`, {
      endpoint: 'completions',
      twin: completionBody,
      bodies: (model) => [each.of(model)],
    }),
  ),
];

/**
 * The responses with a settlement type: to an unusual body, and to the usual body if the unusual one was not
 * served.
 */
export type Typed = {
  /** For the unusual body, another model, a reused connection, or with concurrent requests. */
  readonly conditional: (context: Context) => Promise<Found<Paid>>;
  readonly unusual: (context: Context) => Promise<Found<Paid>>;
  readonly usual: (context: Context) => Promise<Found<Paid>>;
};

/**
 * Checks the same bodies with payments. A body that is refused while the usual body is served is refused for
 * itself.
 */
export function paidBodyChecks(
  typed: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Typed>>>>,
) {
  return paidEndpointNames.flatMap((endpoint) =>
    (['private', 'individual', 'batch'] as const).map((type) =>
      check(
        'body.valid.paid',
        `A paid ${endpoint === 'chat' ? 'chat' : 'text'} ${unusualBodies[endpoint][type].words} gets 200`,
        (context) => judgePaidBody(context, typed[endpoint][type]),
      ),
    ),
  );
}

async function judgePaidBody(context: Context, { unusual, usual }: Typed): Promise<Judgement> {
  const paid = await context.once(unusual);
  if (!paid.ok) return paid.verdict;
  const { answered } = paid.value;
  if (answered.outcome.status === 200) return holds();
  const passed = judgeTransient(answered);
  if (passed) return passed;
  const control = await context.once(usual);
  if (!control.ok) return control.verdict;
  if (control.value.answered.outcome.status === 200) {
    return broken('status 200 for a valid body', describe(answered));
  }
  return unknown(
    `the suite sent a usual body for comparison, which got ${describe(control.value.answered)} instead of 200`,
  );
}

function withQuestion(body: ChatCompletionRequest, content: string): ChatCompletionRequest {
  const asked = body.messages.map((message) => (message.role === 'user' ? { ...message, content } : message));
  return { ...body, messages: asked };
}

function withNames(body: ChatCompletionRequest): ChatCompletionRequest {
  return { ...body, messages: body.messages.map((message) => ({ ...message, name: 'tester' })) };
}

function withResult(body: ChatCompletionRequest, content: string): ChatCompletionRequest {
  const messages = body.messages.map((message) =>
    message.role === 'tool' ? { ...message, content } : message,
  );
  return { ...body, messages };
}

function withoutTools({ tools: _, ...body }: ChatCompletionRequest): ChatCompletionRequest {
  return body;
}
