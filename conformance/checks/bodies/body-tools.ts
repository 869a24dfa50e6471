import type { ChatCompletionRequest } from '@paid-inference/contract/types';
import { observation } from '../../context/check.ts';
import {
  chatBody,
  conversationBody,
  emptyText,
  inheritedName,
  toolBody,
  undecidedToolBody,
  weatherTool,
} from '../../sources/bodies.ts';
import { observes } from './observe-bodies.ts';
import { accepts, lacking, putting, rejects, type Spoils, within } from './rejects.ts';

const withTool = { endpoint: 'chat', twin: toolBody } as const;
const conversation = { endpoint: 'chat', twin: conversationBody } as const;
const { function: weather } = weatherTool;

/** Checks of tool definitions and tool calls (§2.3, §2.4). */
export const bodyToolChecks = [
  rejects('body.tool.type', 'A tool whose `type` is not `function` is invalid', {
    ...withTool,
    spoils: onTool({
      ...putting('type', {
        'a longer word': 'functions',
        'a word and a line break': 'function\n',
        true: true,
        ...emptyText,
        ...inheritedName,
      }),
      // A tool of similar interfaces.
      'another kind of tool instead': () => ({ type: 'web_search' }),
    }),
  }),
  rejects('body.tool.function-name', 'A tool whose function has no `name` is invalid', {
    ...withTool,
    spoils: {
      ...onFunction({ ...lacking('name'), ...putting('name', { 'a number': 7, null: null }) }),
      ...onTool({
        'no `function` around name and parameters': () => ({ type: weatherTool.type, ...weather }),
        ...putting('function', { 'a string': weather.name }),
      }),
    },
  }),
  rejects('body.tool.function-description', 'A `description` of a function that is no string is invalid', {
    ...withTool,
    spoils: onFunction(
      putting('description', { 'a number': 7, 'an array': [weather.description], false: false }),
    ),
  }),
  rejects('body.tool.function-parameters', '`parameters` of a function that are no object are invalid', {
    ...withTool,
    spoils: onFunction(
      putting('parameters', {
        'a string': 'city',
        'an object in a string': JSON.stringify(weather.parameters),
        'an array': [weather.parameters],
      }),
    ),
  }),
  accepts('body.tool.accepted', 'A tool with name, description and parameters is accepted', {
    twin: chatBody,
    bodies: (model) => [undecidedToolBody(model)],
  }),
  observation('body.tool.parts', 'Parts of a function that may be missing, null or empty', (context) => {
    const { description: _, ...undescribed } = weather;
    const { parameters: __, ...bare } = weather;
    const described = {
      'no `description`': undescribed,
      'no `parameters`': bare,
      'null as `description`': { ...weather, description: null },
      'null as `parameters`': { ...weather, parameters: null },
      'nothing in `parameters`': { ...weather, parameters: {} },
      'nothing `required`': { ...weather, parameters: { ...weather.parameters, required: [] } },
    };
    return observes(
      context,
      'chat',
      Object.fromEntries(
        Object.entries(described).map(([name, each]) => [
          name,
          { ...toolBody(context.model), tools: [{ type: weatherTool.type, function: each }] },
        ]),
      ),
    );
  }),
  rejects('body.tool-call.id', 'A tool call whose `id` is missing or no string is invalid', {
    ...conversation,
    spoils: onCalls({ ...lacking('id'), ...putting('id', { 'a number': 1 }) }),
  }),
  rejects('body.tool-call.type', 'A tool call whose `type` is not `function` is invalid', {
    ...conversation,
    spoils: onCalls({
      ...lacking('type'),
      ...putting('type', { 'a longer word': 'functions', true: true, ...emptyText, ...inheritedName }),
    }),
  }),
  rejects('body.tool-call.function-name', 'A tool call that names no function is invalid', {
    ...conversation,
    spoils: {
      ...onCalled({ ...lacking('name'), ...putting('name', { 'a number': 7 }) }),
      ...onCalls({ ...lacking('function'), ...putting('function', { 'a string': weather.name }) }),
    },
  }),
  rejects('body.tool-call.arguments-string', '`function.arguments` that are no string are invalid', {
    ...conversation,
    spoils: onCalled({
      ...putting('arguments', { 'an object': { city: 'Oslo' }, 'an array': ['Oslo'], null: null }),
      ...lacking('arguments'),
    }),
  }),
];

type OfChat = Spoils<ChatCompletionRequest>;

/** Applies faults of a tool, its function, a call, or the called function to the body. */
function onTool(spoils: Spoils<object>): OfChat {
  return within(
    'of a tool',
    (body, spoil) => ({ ...body, tools: body.tools?.map((tool) => spoil(tool)) }),
    spoils,
  );
}

function onFunction(spoils: Spoils<object>): OfChat {
  return onTool(within('of the function', inFunction, spoils));
}

function onCalls(spoils: Spoils<object>): OfChat {
  return within(
    'of a call',
    (body, spoil) => ({
      ...body,
      messages: body.messages.map((message) =>
        message.role === 'assistant'
          ? { ...message, tool_calls: message.tool_calls?.map((call) => spoil(call)) }
          : message,
      ),
    }),
    spoils,
  );
}

function onCalled(spoils: Spoils<object>): OfChat {
  return onCalls(within('of the function', inFunction, spoils));
}

function inFunction(describing: object, spoil: (described: object) => unknown): object {
  return { ...describing, function: spoil(Object(Reflect.get(describing, 'function'))) };
}
