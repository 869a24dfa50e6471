import type { RequirementId } from '@paid-inference/contract/requirements';
import { jsonText } from '../../wire/json-text.ts';
import { reading } from '../edits.ts';
import type { Asked } from '../message.ts';
import { type Mutant, reads } from '../mutant.ts';
import { type Endpoint, findEndpoint, isObject, type Json, parsed } from '../wire-edits.ts';
import { anyModel } from './bodies.ts';

/** Kinds of invalid values that a mutant accepts: the words for a description, and a test of the value. */
const kinds = {
  null: ['null', (value: unknown) => value === null],
  nothing: ['a missing value', (value: unknown) => value === undefined],
  number: ['a number', (value: unknown) => typeof value === 'number'],
  true: ['true', (value: unknown) => value === true],
  false: ['false', (value: unknown) => value === false],
  indexed: ['an object with the member 0', (value: unknown) => isObject(value) && '0' in value],
  string: ['a string', (value: unknown) => typeof value === 'string'],
  empty: ['an empty text', (value: unknown) => value === ''],
  inherited: ['the name of an inherited member', (value: unknown) => value === 'constructor'],
  numeral: ['a string of digits', (value: unknown) => typeof value === 'string' && /^\d+$/.test(value)],
  json: [
    'a JSON object in a string',
    (value: unknown) => typeof value === 'string' && isObject(parsed(value)),
  ],
  capital: ['`User` with a capital letter', (value: unknown) => value === 'User'],
  array: ['an array', (value: unknown) => Array.isArray(value)],
  object: ['an object', (value: unknown) => isObject(value)],
} as const satisfies Record<string, readonly [words: string, is: (value: unknown) => boolean]>;

type Coercion = readonly [
  /** Names of members, separated by dots; `[]` stands for every entry of an array. */
  path: string,
  kind: keyof typeof kinds,
  kills: RequirementId,
  /** The value that the gateway reads instead; undefined omits the member. */
  instead: unknown,
  /** Restricts the coercion to messages with this role. */
  role?: string,
];

const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
const say = [{ role: 'user', content: 'Say pong.' }];
const weather = { name: 'get_weather' };

const ofChat: readonly Coercion[] = [
  ['messages', 'null', 'body.chat.messages.array', say],
  ['messages', 'object', 'body.chat.messages.array', say],
  ['messages', 'empty', 'body.chat.messages.array', say],
  ['messages', 'indexed', 'body.chat.messages.array', say],
  ['messages.[]', 'null', 'body.chat.messages.objects', say[0]],
  ['max_tokens', 'numeral', 'body.chat.max_tokens.integer', 16],
  ['max_tokens', 'true', 'body.chat.max_tokens.integer', 1],
  ['max_tokens', 'empty', 'body.chat.max_tokens.integer', undefined],
  ['temperature', 'numeral', 'body.chat.temperature.number', 1],
  ['temperature', 'true', 'body.chat.temperature.number', 1],
  ['temperature', 'empty', 'body.chat.temperature.number', undefined],
  ['stop', 'object', 'body.chat.stop.array', []],
  ['tool_choice', 'true', 'body.chat.tool_choice.string', 'auto'],
  ['tools', 'string', 'body.chat.tools.array', [{ type: 'function', function: weather }]],
  ['tools', 'empty', 'body.chat.tools.array', undefined],
  ['tools', 'indexed', 'body.chat.tools.array', [{ type: 'function', function: weather }]],
  ['tools.[]', 'string', 'body.chat.tools.array', { type: 'function', function: weather }],
  ['messages.[].role', 'number', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'array', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'true', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'capital', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'empty', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'inherited', 'body.message.role.enum', 'user'],
  ['messages.[].role', 'null', 'body.message.role.required', 'user'],
  ['messages.[].content', 'nothing', 'body.message.content.required', '', 'user'],
  ['messages.[].content', 'nothing', 'body.message.content.required', '', 'system'],
  ['messages.[].content', 'nothing', 'body.message.content.required', '', 'tool'],
  ['messages.[].content', 'null', 'body.message.content.string', '', 'user'],
  ['messages.[].content', 'array', 'body.message.content.string', 'Say pong.', 'user'],
  ['messages.[].content', 'array', 'body.message.content.string', 'Say pong.', 'system'],
  ['messages.[].content', 'array', 'body.message.content.string', 'Say pong.', 'assistant'],
  ['messages.[].content', 'null', 'body.message.content.string', '', 'system'],
  ['messages.[].content', 'number', 'body.message.content.string', '7', 'system'],
  ['messages.[].content', 'number', 'body.message.content.string', '7', 'assistant'],
  ['messages.[].content', 'false', 'body.message.content.string', '', 'assistant'],
  ['messages.[].content', 'null', 'body.message.assistant.content-required', '', 'assistant'],
  ['messages.[].content', 'number', 'body.message.tool.content-string', '4', 'tool'],
  ['messages.[].content', 'null', 'body.message.tool.content-string', '', 'tool'],
  ['messages.[].content', 'array', 'body.message.tool.content-string', '4', 'tool'],
  ['messages.[].name', 'array', 'body.message.name.string', 'tester', 'user'],
  ['messages.[].name', 'number', 'body.message.name.string', '7', 'system'],
  ['messages.[].name', 'number', 'body.message.name.string', '7', 'assistant'],
  ['messages.[].name', 'number', 'body.message.name.string', '7', 'tool'],
  ['messages.[].tool_calls', 'array', 'body.message.tool_calls.assistant-only', undefined, 'system'],
  ['messages.[].tool_calls', 'array', 'body.message.tool_calls.assistant-only', undefined, 'tool'],
  ['messages.[].tool_calls', 'string', 'body.message.tool_calls.array', [call]],
  ['messages.[].tool_calls', 'empty', 'body.message.tool_calls.array', undefined],
  ['messages.[].tool_calls.[]', 'string', 'body.message.tool_calls.array', call],
  ['messages.[].tool_call_id', 'null', 'body.message.tool_call_id.string', 'call_1'],
  ['messages.[].tool_calls.[].id', 'number', 'body.tool-call.id', 'call_1'],
  ['messages.[].tool_calls.[].type', 'nothing', 'body.tool-call.type', 'function'],
  ['messages.[].tool_calls.[].type', 'true', 'body.tool-call.type', 'function'],
  ['messages.[].tool_calls.[].type', 'empty', 'body.tool-call.type', 'function'],
  ['messages.[].tool_calls.[].type', 'inherited', 'body.tool-call.type', 'function'],
  ['messages.[].tool_calls.[].function', 'nothing', 'body.tool-call.function-name', call.function],
  ['messages.[].tool_calls.[].function', 'string', 'body.tool-call.function-name', call.function],
  ['messages.[].tool_calls.[].function.name', 'number', 'body.tool-call.function-name', '7'],
  ['messages.[].tool_calls.[].function.arguments', 'array', 'body.tool-call.arguments-string', '{}'],
  ['messages.[].tool_calls.[].function.arguments', 'null', 'body.tool-call.arguments-string', '{}'],
  ['messages.[].tool_calls.[].function.arguments', 'nothing', 'body.tool-call.arguments-string', '{}'],
  ['tools.[].type', 'empty', 'body.tool.type', 'function'],
  ['tools.[].type', 'true', 'body.tool.type', 'function'],
  ['tools.[].type', 'inherited', 'body.tool.type', 'function'],
  ['tools.[].function', 'nothing', 'body.tool.function-name', weather],
  ['tools.[].function', 'string', 'body.tool.function-name', weather],
  ['tools.[].function.name', 'number', 'body.tool.function-name', 'seven'],
  ['tools.[].function.name', 'null', 'body.tool.function-name', 'nameless'],
  ['tools.[].function.description', 'array', 'body.tool.function-description', 'Tells the weather.'],
  ['tools.[].function.description', 'false', 'body.tool.function-description', 'Tells the weather.'],
  ['tools.[].function.parameters', 'json', 'body.tool.function-parameters', {}],
  ['tools.[].function.parameters', 'array', 'body.tool.function-parameters', {}],
];

const ofText: readonly Coercion[] = [
  ['prompt', 'null', 'body.completions.prompt.string', ''],
  ['prompt', 'array', 'body.completions.prompt.string', 'One, two, three,'],
  ['max_tokens', 'numeral', 'body.completions.max_tokens.integer', 16],
  ['max_tokens', 'true', 'body.completions.max_tokens.integer', 1],
  ['max_tokens', 'empty', 'body.completions.max_tokens.integer', undefined],
  ['temperature', 'numeral', 'body.completions.temperature.number', 1],
  ['temperature', 'true', 'body.completions.temperature.number', 1],
  ['temperature', 'empty', 'body.completions.temperature.number', undefined],
  ['stop', 'object', 'body.completions.stop.array', []],
];

/** Mutants that accept a value of a wrong type (contract 2.1 to 2.5). The edge replaces it by a valid value. */
export const coercionMutants: readonly Mutant[] = [
  ...ofChat.map((coercion) => taking('chat', coercion)),
  ...ofText.map((coercion) => taking('completions', coercion)),
  ...(['chat', 'completions'] as const).flatMap((endpoint) => [
    ...(['null', 'array'] as const).map((kind) => {
      const [words, is] = kinds[kind];
      return anyModel(
        `takes-${endpoint}-model-from-${kind}`,
        `accepts ${words} as \`model\` (${endpoint})`,
        `body.${endpoint}.model.string`,
        endpoint,
        is,
      );
    }),
    ...takingBodies(endpoint),
  ]),
  anyModel(
    'takes-chat-model-from-true',
    'accepts true as `model` (chat)',
    'body.chat.model.string',
    'chat',
    (model) => model === true,
  ),
];

function taking(endpoint: Endpoint, [path, kind, kills, instead, role]: Coercion): Mutant {
  const [words, is] = kinds[kind];
  const whose = role === undefined ? '' : ` for the role \`${role}\``;
  const places = path.split('.').map((step) => (step === '[]' ? 'each' : step));
  const id = ['takes', endpoint, ...places, 'from', kind, ...(role ? ['of', role] : [])].join('-');
  const read = reading(endpoint, (body) => {
    const mended = mend(body, path.split('.'), (value, { role: actual }) =>
      is(value) && (role === undefined || actual === role) ? instead : value,
    );
    return isObject(mended) ? mended : undefined;
  });
  return reads(id, `accepts ${words} as \`${path}\`${whose} (${endpoint})`, [kills], read);
}

/** The value, with everything at a path replaced by the result of `fix`. */
function mend(
  value: unknown,
  [step, ...rest]: readonly string[],
  fix: (value: unknown, of: Json) => unknown,
  of: Json = {},
): unknown {
  if (step === undefined) return fix(value, of);
  if (step === '[]') {
    return Array.isArray(value) ? value.map((entry) => mend(entry, rest, fix, of)) : value;
  }
  return isObject(value) ? { ...value, [step]: mend(value[step], rest, fix, value) } : value;
}

/** Mutants that accept a body that is not an object. The edge unwraps it, or repeats the first valid body. */
function takingBodies(endpoint: Endpoint): readonly Mutant[] {
  const kills = `body.${endpoint}.model.required` as const;
  return [
    bodiesTaken(
      `takes-${endpoint}-body-in-an-array`,
      'an array that contains the body',
      kills,
      endpoint,
      ({ text }) => {
        const value = parsed(text);
        return Array.isArray(value) ? jsonText(value[0]) : undefined;
      },
    ),
    bodiesTaken(
      `takes-${endpoint}-body-in-a-string`,
      'a string that contains the body',
      kills,
      endpoint,
      ({ text }) => {
        const value = parsed(text);
        return typeof value === 'string' ? value : undefined;
      },
    ),
    bodiesTaken(`takes-${endpoint}-body-of-null`, 'null as the body', kills, endpoint, ({ text }, good) =>
      parsed(text) === null ? good : undefined,
    ),
    bodiesTaken(
      `takes-${endpoint}-body-of-nothing`,
      'an empty body',
      `body.${endpoint}.json`,
      endpoint,
      ({ text }, good) => (text === '' ? good : undefined),
    ),
  ];
}

function bodiesTaken(
  id: string,
  words: string,
  kills: RequirementId,
  endpoint: Endpoint,
  unwrapped: (asked: Asked, good: string) => string | undefined,
): Mutant {
  return {
    id,
    does: `accepts ${words} (${endpoint})`,
    kills: [kills],
    place: 'read',
    edge: () => {
      let good = '';
      return {
        read: (asked) => {
          if (findEndpoint(asked) !== endpoint || asked.method !== 'POST') return asked;
          const text = unwrapped(asked, good);
          if (text !== undefined) return { ...asked, text };
          const body = parsed(asked.text);
          // The first body of a run is valid.
          if (good === '' && isObject(body) && body['model'] !== undefined) good = asked.text;
          return asked;
        },
      };
    },
  };
}
