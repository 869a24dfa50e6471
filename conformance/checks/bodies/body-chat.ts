import { ranges } from '@paid-inference/contract/constants';
import { observation } from '../../context/check.ts';
import {
  beyondCatalog,
  chatBody,
  emptyText,
  nearlyJson,
  nearlyJsonOf,
  noBody,
  noJson,
  toolBody,
  undecidedToolBody,
  weatherTool,
  wrong,
} from '../../sources/bodies.ts';
import { nullsFor, observes } from './observe-bodies.ts';
import { accepts, lacking, putting, refusalsOfModel, rejects, strangeModels } from './rejects.ts';

const { minimum, maximum } = ranges.ChatCompletionRequest.temperature;
const chat = { endpoint: 'chat', twin: chatBody } as const;

/** Checks of the fields of a chat body (§2.1). */
export const bodyChatChecks = [
  rejects('body.chat.model.required', 'A chat body without `model` is invalid', {
    ...chat,
    spoils: {
      ...lacking('model'),
      '`Model` instead of `model`': ({ model: Model, ...body }) => ({ ...body, Model }),
      ...noBody,
    },
  }),
  rejects('body.chat.model.string', 'A `model` that is no string is invalid', {
    ...chat,
    spoils: {
      ...putting('model', { 'a number': 7, true: true, null: null }),
      '`model` as an array of one': (body) => ({ ...body, model: [body.model] }),
    },
  }),
  rejects('body.chat.model.in-catalog', 'A `model` that is not in the catalog is invalid', {
    ...chat,
    spoils: strangeModels,
    statuses: refusalsOfModel,
    beyondSchema: beyondCatalog,
  }),
  rejects('body.chat.messages.required', 'A chat body without `messages` is invalid', {
    ...chat,
    spoils: {
      ...lacking('messages'),
      '`MESSAGES` instead of `messages`': ({ messages: MESSAGES, ...body }) => ({ ...body, MESSAGES }),
      '`prompt` instead of `messages`': ({ messages: _, ...body }) => ({ ...body, prompt: 'Say pong.' }),
    },
  }),
  rejects('body.chat.messages.array', '`messages` that are no array are invalid', {
    ...chat,
    spoils: {
      ...putting('messages', { 'a string': 'Say pong.', null: null, ...emptyText }),
      '`messages` as one object': (body) => ({ ...body, messages: body.messages.at(-1) }),
      // A language may read such an object as an array.
      '`messages` as an object with the member 0': (body) => ({ ...body, messages: { ...body.messages } }),
    },
  }),
  rejects('body.chat.messages.objects', 'A message that is no object is invalid', {
    ...chat,
    spoils: {
      'a message as a string': (body) => ({ ...body, messages: ['Say pong.'] }),
      'a message as null': (body) => ({ ...body, messages: [...body.messages, null] }),
    },
  }),
  observation('body.chat.messages.empty', 'Response to a conversation without messages', (context) =>
    observes(context, 'chat', { 'no messages': { ...chatBody(context.model), messages: [] } }),
  ),
  rejects('body.chat.max_tokens.integer', 'A `max_tokens` that is no integer is invalid', {
    ...chat,
    spoils: putting('max_tokens', wrong.integer),
  }),
  observation('body.chat.max_tokens.bounds', 'Accepted values of `max_tokens`', (context) => {
    const body = chatBody(context.model);
    return observes(context, 'chat', {
      '-1 tokens': { ...body, max_tokens: -1 },
      '0 tokens': { ...body, max_tokens: 0 },
      [`${2 ** 31 - 1} tokens`]: { ...body, max_tokens: 2 ** 31 - 1 },
    });
  }),
  rejects(
    'body.chat.temperature.minimum',
    'A `temperature` below the range is invalid; the minimum is valid',
    {
      ...chat,
      twin: (model) => ({ ...chatBody(model), temperature: minimum }),
      spoils: putting('temperature', { 'a value just below the minimum': minimum - 0.01 }),
    },
  ),
  rejects(
    'body.chat.temperature.maximum',
    'A `temperature` above the range is invalid; the maximum is valid',
    {
      ...chat,
      twin: (model) => ({ ...chatBody(model), temperature: maximum }),
      spoils: putting('temperature', {
        'a value above the maximum': maximum + 0.1,
        'a value just above the maximum': maximum + 0.01,
      }),
    },
  ),
  rejects('body.chat.temperature.number', 'A `temperature` that is no number is invalid', {
    ...chat,
    spoils: putting('temperature', wrong.number),
  }),
  rejects('body.chat.stop.array', 'A `stop` that is neither array nor string is invalid', {
    ...chat,
    spoils: putting('stop', wrong.stop),
  }),
  observation('body.chat.stop.items', 'Accepted stop sequences', (context) => {
    const body = chatBody(context.model);
    return observes(context, 'chat', {
      'a bare string': { ...body, stop: 'x' },
      'an empty array': { ...body, stop: [] },
      'an empty string': { ...body, stop: [''] },
      'a number': { ...body, stop: [7] },
    });
  }),
  rejects('body.chat.tools.array', '`tools` that are no array of objects are invalid', {
    ...chat,
    twin: toolBody,
    spoils: putting('tools', {
      'one object': weatherTool,
      'a string': 'get_weather',
      'an array of strings': ['get_weather'],
    }),
  }),
  observation('body.chat.tools.empty', 'Response to an empty array of tools', (context) =>
    observes(context, 'chat', { 'no tools': { ...chatBody(context.model), tools: [] } }),
  ),
  rejects('body.chat.tool_choice.string', 'A `tool_choice` that is a number or true is invalid', {
    ...chat,
    twin: toolBody,
    spoils: putting('tool_choice', { 'a number': 7, true: true }),
  }),
  accepts('body.chat.tool_choice.auto-none', '`tool_choice` may be `auto` or `none`', {
    twin: undecidedToolBody,
    bodies: (model) => [
      { ...toolBody(model), tool_choice: 'auto' },
      { ...toolBody(model), tool_choice: 'none' },
    ],
  }),
  observation('body.chat.tool_choice.specific', 'Accepted forms of a specific `tool_choice`', (context) => {
    const { name } = weatherTool.function;
    const body = toolBody(context.model);
    return observes(context, 'chat', {
      'as a name': { ...body, tool_choice: name },
      'as an object': { ...body, tool_choice: { type: 'function', function: { name } } },
    });
  }),
  accepts('body.chat.optional-fields', 'All fields but `model` and `messages` are optional', {
    twin: chatBody,
    bodies: (model) => [{ model, messages: chatBody(model).messages }],
  }),
  observation('body.chat.nulls', 'Optional fields that may be null', (context) =>
    observes(context, 'chat', {
      ...nullsFor(chatBody(context.model), 'max_tokens', 'temperature', 'stop', 'tools'),
      ...nullsFor(toolBody(context.model), 'tool_choice'),
    }),
  ),
  observation('body.chat.unknown-field', 'Response to an unknown field', (context) =>
    observes(context, 'chat', { no_such_field: { ...chatBody(context.model), no_such_field: true } }),
  ),
  rejects('body.chat.json', 'A body that is not JSON is invalid', {
    ...chat,
    spoils: { ...noJson, ...nearlyJson, ...nearlyJsonOf.chat },
  }),
];
