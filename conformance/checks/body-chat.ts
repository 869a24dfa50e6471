import { ranges } from '@paid-inference/contract/constants';
import { observation } from '../engine/check.ts';
import { given } from '../engine/found.ts';
import { seen } from '../engine/verdict.ts';
import {
  beyondCatalog,
  chatBody,
  openRequest,
  toolBody,
  undecidedToolBody,
  validRequest,
  weatherTool,
} from './bodies.ts';
import { accepts, answersTo, rejects } from './rejects.ts';
import { readsBodyFirst } from './sources.ts';

const { minimum, maximum } = ranges.ChatCompletionRequest.temperature;
const chat = { endpoint: 'chat', twin: chatBody } as const;

/** What the body of a chat request must be (contract 2.1). */
export const bodyChatChecks = [
  rejects('body.chat.model.required', 'A chat body without `model` is invalid', {
    ...chat,
    spoil: ({ model: _, ...rest }) => rest,
  }),
  rejects('body.chat.model.string', 'A `model` that is a number is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, model: 7 }),
  }),
  rejects('body.chat.model.in-catalog', 'A `model` that is not in the catalog is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, model: 'no-such-provider/no-such-model' }),
    // It is invalid (1), and its status is not shown (7): so it is refused, by any of the statuses of such a refusal.
    statuses: [400, 404, 422],
    beyondSchema: beyondCatalog,
  }),
  rejects('body.chat.messages.required', 'A chat body without `messages` is invalid', {
    ...chat,
    spoil: ({ messages: _, ...rest }) => rest,
  }),
  rejects('body.chat.messages.array', '`messages` that are a string are invalid', {
    ...chat,
    spoil: (body) => ({ ...body, messages: 'Say pong.' }),
  }),
  rejects('body.chat.messages.objects', 'A message that is a string is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, messages: ['Say pong.'] }),
  }),
  observation('body.chat.messages.empty', 'What a conversation without messages brings', (context) =>
    given(readsBodyFirst(context, 'chat'), async () => {
      const body = { ...chatBody(context.model), messages: [] };
      const [answer] = await answersTo(context, [openRequest('chat', body)]);
      return seen(`${answer}`);
    }),
  ),
  rejects('body.chat.max_tokens.integer', 'A `max_tokens` with a fraction is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, max_tokens: 1.5 }),
  }),
  observation('body.chat.max_tokens.bounds', 'Which numbers of tokens are accepted', (context) =>
    given(readsBodyFirst(context, 'chat'), async () => {
      const numbers = [-1, 0, 2 ** 31 - 1];
      const requests = numbers.map((max_tokens) =>
        openRequest('chat', { ...chatBody(context.model), max_tokens }),
      );
      const answers = await answersTo(context, requests);
      return seen(numbers.map((number, at) => `${number}: ${answers[at]}`).join('; '));
    }),
  ),
  rejects('body.chat.temperature.minimum', 'A `temperature` below the range is invalid, its end is not', {
    ...chat,
    twin: (model) => ({ ...chatBody(model), temperature: minimum }),
    spoil: (body) => ({ ...body, temperature: minimum - 0.1 }),
  }),
  rejects('body.chat.temperature.maximum', 'A `temperature` above the range is invalid, its end is not', {
    ...chat,
    twin: (model) => ({ ...chatBody(model), temperature: maximum }),
    spoil: (body) => ({ ...body, temperature: maximum + 0.1 }),
  }),
  rejects('body.chat.temperature.number', 'A `temperature` that is a word is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, temperature: 'hot' }),
  }),
  rejects('body.chat.stop.array', 'A `stop` that is a number is invalid', {
    ...chat,
    spoil: (body) => ({ ...body, stop: 7 }),
  }),
  observation('body.chat.stop.items', 'Which stop sequences are accepted', (context) =>
    given(readsBodyFirst(context, 'chat'), async () => {
      const stops = { 'a bare string': 'x', 'an empty array': [], 'an empty string': [''], 'a number': [7] };
      const requests = Object.values(stops).map((stop) =>
        openRequest('chat', { ...chatBody(context.model), stop }),
      );
      const answers = await answersTo(context, requests);
      return seen(
        Object.keys(stops)
          .map((name, at) => `${name}: ${answers[at]}`)
          .join('; '),
      );
    }),
  ),
  rejects('body.chat.tools.array', '`tools` that are one object are invalid', {
    ...chat,
    twin: toolBody,
    spoil: (body) => ({ ...body, tools: weatherTool }),
  }),
  rejects('body.chat.tool_choice.string', 'A `tool_choice` that is a number is invalid', {
    ...chat,
    twin: toolBody,
    spoil: (body) => ({ ...body, tool_choice: 7 }),
  }),
  accepts('body.chat.tool_choice.auto-none', '`tool_choice` may be `auto` and `none`', {
    twin: undecidedToolBody,
    bodies: (model) => [
      { ...toolBody(model), tool_choice: 'auto' },
      { ...toolBody(model), tool_choice: 'none' },
    ],
  }),
  observation(
    'body.chat.tool_choice.specific',
    'Which shapes of a specific `tool_choice` are accepted',
    async (context) => {
      const { name } = weatherTool.function;
      const shapes = [name, { type: 'function', function: { name } }];
      const requests = shapes.map((shape) =>
        validRequest('chat', { ...toolBody(context.model), tool_choice: shape }),
      );
      return given(readsBodyFirst(context, 'chat'), async () => {
        const [asName, asObject] = await answersTo(context, requests);
        return seen(`as a name: ${asName}; as an object: ${asObject}`);
      });
    },
  ),
  accepts('body.chat.optional-fields', 'All but `model` and `messages` may be left out', {
    twin: chatBody,
    bodies: (model) => [{ model, messages: chatBody(model).messages }],
  }),
  observation('body.chat.unknown-field', 'What an unknown field brings', (context) =>
    given(readsBodyFirst(context, 'chat'), async () => {
      const body = { ...chatBody(context.model), no_such_field: true };
      const [answer] = await answersTo(context, [openRequest('chat', body)]);
      return seen(`${answer}`);
    }),
  ),
  rejects('body.chat.json', 'A body that is not JSON is invalid', {
    ...chat,
    spoil: (body) => JSON.stringify(body).slice(0, -1),
  }),
];
