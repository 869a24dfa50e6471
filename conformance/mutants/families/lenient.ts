import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import { type Mutant, reads } from '../mutant.ts';
import { type Endpoint, findEndpoint, isObject, type Json, messagesIn, parsed } from '../wire-edits.ts';

/** A mutant that reads a body that is not JSON as the JSON that `mend` makes of it. */
function readsText(id: string, does: string, endpoint: Endpoint, mend: (text: string) => string): Mutant {
  return reads(id, does, [`body.${endpoint}.json`], (asked) => {
    const mended = mend(asked.text);
    const isMended = parsed(asked.text) === undefined && parsed(mended) !== undefined;
    return findEndpoint(asked) === endpoint && isMended ? { ...asked, text: mended } : asked;
  });
}

/** A mutant that accepts a `temperature` just below zero. */
function belowZero(id: string, endpoint: Endpoint): Mutant {
  const kills = endpoint === 'chat' ? 'body.chat.temperature.minimum' : 'body.completions.temperature.range';
  return reads(
    id,
    `accepts a \`temperature\` of -0.01 (${endpoint})`,
    [kills],
    reading(endpoint, (body) => {
      const { temperature } = body;
      const isJustBelow = typeof temperature === 'number' && temperature < 0 && temperature >= -0.05;
      return isJustBelow ? { ...body, temperature: 0 } : undefined;
    }),
  );
}

function inCapitals(name: string, endpoint: Endpoint, kills: RequirementId): Mutant {
  const other = name.toUpperCase();
  return reads(
    `${name}-in-capitals-taken`,
    `finds \`${name}\` also as \`${other}\``,
    [kills],
    reading(endpoint, ({ [other]: value, ...body }) =>
      value === undefined || name in body ? undefined : { ...body, [name]: value },
    ),
  );
}

function withRoles(body: Json, change: (role: string) => string): Json | undefined {
  if (!Array.isArray(body['messages'])) return undefined;
  const messages = body['messages'].map((each: unknown) =>
    isObject(each) && typeof each['role'] === 'string' ? { ...each, role: change(each['role']) } : each,
  );
  return { ...body, messages };
}

const typed = (value: unknown) => {
  const isLonger = isObject(value) && String(value['type']).startsWith('function');
  return isLonger ? { ...value, type: 'function' } : value;
};

/** Mutants with the lenience of a common parser or of a careless comparison (contract 2, D-230). */
export const lenientMutants: readonly Mutant[] = [
  readsText('nan-taken', 'reads NaN as a number (chat)', 'chat', (text) => text.replace(/:NaN\b/g, ':1')),
  readsText('infinity-taken', 'reads Infinity as a number (chat)', 'chat', (text) =>
    text.replace(/:Infinity\b/g, ':1'),
  ),
  readsText('negative-infinity-taken', 'reads -Infinity as a number (chat)', 'chat', (text) =>
    text.replace(/:-Infinity\b/g, ':1'),
  ),
  readsText('nan-taken-for-text', 'reads NaN as a number (completions)', 'completions', (text) =>
    text.replace(/:NaN\b/g, ':1'),
  ),
  readsText(
    'tabs-in-strings-taken',
    'accepts tabs in the strings of JSON (completions)',
    'completions',
    (text) => text.replaceAll('\t', '\\t'),
  ),
  readsText(
    'line-breaks-in-strings-taken',
    'accepts line breaks in the strings of JSON (completions)',
    'completions',
    (text) => text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => string.replaceAll('\n', '\\n')),
  ),
  reads(
    'names-of-members-in-any-case',
    'finds `model` whatever the letter case of its name is',
    ['body.chat.model.required'],
    reading('chat', (body) => {
      const { Model, ...rest } = body;
      return body['model'] === undefined && Model !== undefined ? { ...rest, model: Model } : undefined;
    }),
  ),
  inCapitals('messages', 'chat', 'body.chat.messages.required'),
  inCapitals('prompt', 'completions', 'body.completions.prompt.required'),
  reads(
    'roles-in-capitals-taken',
    'finds the `role` of a message also as `ROLE`',
    ['body.message.role.required'],
    reading('chat', (body) => {
      const messages = messagesIn(body);
      if (!messages.some(({ ROLE }) => ROLE !== undefined)) return undefined;
      return { ...body, messages: messages.map(({ ROLE, ...rest }) => ({ role: ROLE, ...rest })) };
    }),
  ),
  belowZero('temperature-just-below-minimum', 'chat'),
  belowZero('text-temperature-just-below-minimum', 'completions'),
  reads(
    'roles-trimmed',
    'accepts a `role` with white space after it',
    ['body.message.role.enum'],
    reading('chat', (body) => withRoles(body, (role) => role.trim())),
  ),
  reads(
    'roles-before-a-line-break',
    'accepts a `role` with a line break after it',
    ['body.message.role.enum'],
    reading('chat', (body) => withRoles(body, (role) => role.replace(/\n$/, ''))),
  ),
  reads(
    'types-before-a-line-break',
    'accepts a `type` of a tool with a line break after it',
    ['body.tool.type'],
    reading('chat', (body) =>
      Array.isArray(body['tools'])
        ? {
            ...body,
            tools: body['tools'].map((tool: unknown) =>
              isObject(tool) && tool['type'] === 'function\n' ? { ...tool, type: 'function' } : tool,
            ),
          }
        : undefined,
    ),
  ),
  reads(
    'tools-of-a-longer-type',
    'compares only the beginning of the `type` of a tool',
    ['body.tool.type'],
    reading('chat', (body) =>
      Array.isArray(body['tools']) ? { ...body, tools: body['tools'].map(typed) } : undefined,
    ),
  ),
  reads(
    'calls-of-a-longer-type',
    'compares only the beginning of the `type` of a tool call',
    ['body.tool-call.type'],
    reading('chat', (body) => {
      if (!messagesIn(body).some(({ tool_calls: calls }) => Array.isArray(calls))) return undefined;
      const messages = messagesIn(body).map((each) =>
        Array.isArray(each['tool_calls']) ? { ...each, tool_calls: each['tool_calls'].map(typed) } : each,
      );
      return { ...body, messages };
    }),
  ),
];
