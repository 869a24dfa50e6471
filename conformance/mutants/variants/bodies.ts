import { failing, replying, serving } from '../edits.ts';
import {
  isObject,
  isPaid,
  type Json,
  parsed,
  withHeader,
  withJson,
  withMember,
  withTexts,
} from '../wire-edits.ts';
import { backwards } from './headers.ts';
import { type LegalVariant, marked, open, variant } from './variant.ts';

/** Sends another body with the 402 response to an unpaid request. */
function demanding(id: string, does: string, text: string, type = 'application/json'): LegalVariant {
  return variant(id, does, open.requireBody, {
    respond: replying((reply, asked) =>
      reply.status === 402 && !isPaid(asked) ? { ...withHeader(reply, 'Content-Type', type), text } : reply,
    ),
  });
}

/** Replaces the messages of errors. */
function saying(id: string, does: string, message: string): LegalVariant {
  return onErrors(id, does, open.message, (body) => withMember(body, 'error.message', message));
}

function onErrors(id: string, does: string, words: string, change: (body: Json) => Json): LegalVariant {
  return variant(id, does, words, {
    respond: (reply, asked, forge) =>
      [400, 401, 402].reduce<ReturnType<ReturnType<typeof failing>>>(
        async (before, status) => failing(status, change)(await before, asked, forge),
        reply,
      ),
  });
}

/** Serializes every JSON body differently. */
function writing(id: string, does: string, words: string, write: (value: unknown) => string): LegalVariant {
  return variant(id, does, words, {
    respond: (reply) => {
      const value = parsed(reply.text);
      return value === undefined ? reply : { ...reply, text: write(value) };
    },
  });
}

function onChoices(body: Json, change: (choice: Json) => Json): Json {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return { ...body, choices: choices.map((choice) => (isObject(choice) ? change(choice) : choice)) };
}

function isCalling(choice: Json): boolean {
  return choice['finish_reason'] === 'tool_calls';
}

const wordsOnly = {
  index: 0,
  message: { role: 'assistant', content: 'Let me see.' },
  finish_reason: 'stop',
} as const;

const calls = 'message.tool_calls';

function withCalls(body: Json, change: (calls: readonly unknown[]) => readonly unknown[]): Json {
  return onChoices(body, (choice) => {
    const before = isObject(choice['message']) ? choice['message']['tool_calls'] : undefined;
    return Array.isArray(before) ? withMember(choice, calls, change(before)) : choice;
  });
}

function answering(id: string, does: string, words: string, change: (body: Json) => Json): LegalVariant {
  return variant(id, does, words, { respond: serving(change) });
}

/** Legal variants of response bodies. */
export const bodyVariants: readonly LegalVariant[] = [
  demanding('demand-without-body', 'sends an empty body with its 402 response', ''),
  demanding('demand-of-nothing', 'sends an empty object as the body of its 402 response', '{ }'),
  demanding('demand-of-null', 'sends null as the body of its 402 response', 'null'),
  demanding('demand-of-an-array', 'sends an empty array as the body of its 402 response', '[]'),
  demanding(
    'demand-of-x402',
    'sends an x402 body with its 402 response',
    '{"x402Version":2,"error":"pay","accepts":[]}',
  ),
  demanding(
    'demand-as-an-error',
    'sends its own error as the body of its 402 response',
    '{"error":{"message":"Pay first.","type":"payment_error","code":"payment_required"}}',
  ),
  demanding(
    'demand-with-an-example',
    'sends an example of a completion in the body of its 402 response',
    JSON.stringify({ example: { object: 'chat.completion', choices: [wordsOnly] } }),
  ),
  demanding(
    'demand-with-choices',
    'sends the choices of a payer in the body of its 402 response',
    '{"choices":[{"index":0,"text":"Pay with the test token.","scheme":"exact"}]}',
  ),
  saying('messages-reworded', 'uses other error messages', 'That will not do: see the manual.'),
  saying(
    'messages-of-another-language',
    'writes its error messages in another language',
    'Das geht so nicht – ungültig. 無効です',
  ),
  saying('messages-empty', 'sends empty error messages', ''),
  onErrors('errors-with-more', 'adds members to error bodies', open.newVersions, (body) =>
    withMember({ ...body, request_id: 'r-1' }, 'error.details', [{ at: '/messages/0' }]),
  ),
  writing(
    'bodies-pretty-printed',
    'formats its bodies over several lines',
    open.bodies,
    (value) => `${JSON.stringify(value, null, 2)}\n`,
  ),
  writing('bodies-backwards', 'writes the members of its bodies in reverse order', open.bodies, (value) =>
    JSON.stringify(backwards(value)),
  ),
  writing('bodies-escaped', 'escapes characters that need no escape', open.bodies, (value) =>
    JSON.stringify(value).replaceAll('/', '\\/').replaceAll('o', '\\u006f'),
  ),
  answering('completions-with-more', 'adds members to completions', open.newVersions, (body) =>
    onChoices({ ...body, system_fingerprint: null, service_tier: 'x' }, (choice) => ({
      ...choice,
      logprobs: null,
      ...(isObject(choice['message']) && { message: { ...choice['message'], refusal: null } }),
    })),
  ),
  answering('ends-with-length', 'sets `finish_reason` to `length`', open.finishReason, (body) =>
    onChoices(body, (choice) => (isCalling(choice) ? choice : { ...choice, finish_reason: 'length' })),
  ),
  answering('ends-with-a-word-of-its-own', 'sets `finish_reason` to `eos_token`', open.finishReason, (body) =>
    onChoices(body, (choice) => (isCalling(choice) ? choice : { ...choice, finish_reason: 'eos_token' })),
  ),
  answering(
    'usage-that-does-not-add-up',
    'reports a `total_tokens` that is not the sum',
    open.usage,
    (body) => ({
      ...body,
      usage: {
        prompt_tokens: 7,
        completion_tokens: 1,
        total_tokens: 99,
        prompt_tokens_details: { cached: 0 },
      },
    }),
  ),
  answering('usage-of-nothing', 'reports zero tokens', open.usage, (body) => ({
    ...body,
    usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
  })),
  answering('another-model-named', 'names a dated version of the requested model', open.model, (body) => ({
    ...body,
    model: `${String(body['model'])}-20260101`,
  })),
  answering('id-of-another-form', 'sends completion ids of another form', open.id, (body) => ({
    ...body,
    id: '#7/b',
  })),
  variant('created-by-another-clock', 'sends a `created` that is one hour ahead', open.created, {
    respond: (reply, asked, forge) =>
      serving((body) => ({ ...body, created: Number(body['created']) + 3_600 }))(marked(reply), asked, forge),
  }),
  answering('two-choices', 'sends two choices', open.choices, (body) => ({
    ...body,
    choices: Array.isArray(body['choices'])
      ? [...body['choices'], ...body['choices'].map((choice) => ({ ...choice, index: 1 }))]
      : body['choices'],
  })),
  answering('content-empty', 'sends an empty text', open.content, (body) =>
    onChoices(body, (choice) => {
      if (choice['text'] !== undefined) return { ...choice, text: '' };
      return isCalling(choice) ? choice : withMember(choice, 'message.content', '');
    }),
  ),
  answering('words-beside-calls', 'sends text beside a tool call', open.content, (body) =>
    onChoices(body, (choice) =>
      isCalling(choice) ? withMember(choice, 'message.content', 'I will look that up.') : choice,
    ),
  ),
  answering('two-calls', 'sends two tool calls in one message', open.choices, (body) =>
    withCalls(body, (each) => [...each, ...each.map((call) => ({ ...Object(call), id: 'call_b' }))]),
  ),
  answering(
    'calls-that-end-with-stop',
    'sets `finish_reason` to `stop` after tool calls',
    open.finishReason,
    (body) =>
      onChoices(body, (choice) => (isCalling(choice) ? { ...choice, finish_reason: 'stop' } : choice)),
  ),
  {
    ...answering(
      'calls-cut-short',
      'runs out of tokens in the middle of a tool call',
      open.finishReason,
      (body) =>
        onChoices(
          withCalls(body, (each) =>
            each.map((call) =>
              isObject(call) ? withMember(call, 'function.arguments', '{"city": "Os') : call,
            ),
          ),
          (choice) => (isCalling(choice) ? { ...choice, finish_reason: 'length' } : choice),
        ),
    ),
    hides: 'the suite cannot check or answer an incomplete tool call',
  },
  answering('call-without-arguments', 'calls a tool with empty arguments', open.arguments, (body) =>
    withCalls(body, (each) =>
      each.map((call) => (isObject(call) ? withMember(call, 'function.arguments', ' {}') : call)),
    ),
  ),
  answering(
    'call-ids-counted-in-each-message',
    'numbers the tool calls of each message from 0, also in a second choice',
    open.callId,
    (body) => {
      const counted = withCalls(body, (each) =>
        [...each, ...each].map((call, at) => ({ ...Object(call), id: `call_${at}` })),
      );
      const choices: readonly unknown[] = Array.isArray(counted['choices']) ? counted['choices'] : [];
      return { ...counted, choices: [...choices, ...choices.map((each) => ({ ...Object(each), index: 1 }))] };
    },
  ),
  answering(
    'calls-in-the-second-choice',
    'calls tools only in the second of two choices',
    open.choices,
    (body) => {
      const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
      return choices.some((choice) => isObject(choice) && isCalling(choice))
        ? { ...body, choices: [wordsOnly, ...choices.map((each) => ({ ...Object(each), index: 1 }))] }
        : body;
    },
  ),
  answering(
    'stop-sequence-at-the-end',
    'ends its texts with the stop sequence that it met',
    open.stop,
    (body) => withTexts(body, (text) => `${text}\n\n`),
  ),
  answering(
    'texts-after-blanks',
    'begins its texts with line breaks, although they are a stop sequence',
    open.stop,
    (body) => withTexts(body, (text) => `\n\n${text}`),
  ),
  variant('no-calls-member-as-null', 'sends `tool_calls: null` when it calls no tool', open.newVersions, {
    respond: (reply, asked, forge) =>
      serving((body) =>
        onChoices(body, (choice) =>
          isObject(choice['message']) && !isCalling(choice) ? withMember(choice, calls, null) : choice,
        ),
      )(reply, asked, forge),
  }),
  answering(
    'no-calls-as-an-empty-array',
    'sends an empty `tool_calls` when it calls no tool',
    open.choices,
    (body) =>
      onChoices(body, (choice) =>
        isObject(choice['message']) && !isCalling(choice) ? withMember(choice, calls, []) : choice,
      ),
  ),
  variant('models-with-more', 'lists its models in another format', open.otherEndpoints, {
    respond: (reply, asked) =>
      asked.path === '/v1/models'
        ? withJson(reply, { data: [{ id: 'alder/alder-mini' }], has_more: false })
        : reply,
  }),
  {
    ...variant('models-not-listed', 'returns 404 for its list of models', open.otherEndpoints, {
      respond: (reply, asked) => (asked.path === '/v1/models' ? { ...reply, status: 404 } : reply),
    }),
    listsNoModels: true,
  },
];
