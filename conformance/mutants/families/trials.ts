import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { type Mutant, reads, responds } from '../mutant.ts';
import {
  type Endpoint,
  findEndpoint,
  isObject,
  type Json,
  messagesIn,
  parsed,
  withMember,
} from '../wire-edits.ts';
import { anyModel } from './bodies.ts';
import { asServed } from './served-unpaid.ts';

/** A mutant that returns a fixed completion for an invalid payment. */
function servingFor(
  id: string,
  does: string,
  when: (asked: Asked) => boolean,
  ...others: readonly RequirementId[]
): Mutant {
  return responds(id, does, ['unpaid.never-200', ...others], (reply: Reply, asked) =>
    when(asked) ? asServed(reply) : reply,
  );
}

const payment = (word: string) => (asked: Asked) =>
  findEndpoint(asked) !== undefined && asked.headers['x-payment'] === word;

/** A mutant that accepts a role of similar interfaces. */
function roleAccepted(role: string): Mutant {
  return reads(
    `role-${role}-taken`,
    `accepts the role \`${role}\` as \`system\``,
    ['body.message.role.enum'],
    reading('chat', (body) => ({
      ...body,
      ...(Array.isArray(body['messages']) && {
        messages: body['messages'].map((each: unknown) =>
          isObject(each) && each['role'] === role ? { ...each, role: 'system' } : each,
        ),
      }),
    })),
  );
}

const near: readonly (readonly [id: string, what: string, mend: (text: string) => string])[] = [
  ['trailing-commas', 'a trailing comma', (text) => text.replace(/,\s*\}$/, '}')],
  ['text-after-json', 'text after the object', (text) => text.replace(/\} end$/, '}')],
  ['comments', 'a comment', (text) => text.replace(/^\/\*.*?\*\//, '')],
  ['single-quotes', 'single quotes', (text) => text.replaceAll("'", '"')],
];

/** Mutants that accept text that is almost JSON. */
function nearlyAccepted(endpoint: Endpoint): readonly Mutant[] {
  return near.map(([id, what, mend]) =>
    reads(
      `${id}-taken${endpoint === 'chat' ? '' : '-in-text'}`,
      `accepts JSON with ${what} (${endpoint})`,
      [`body.${endpoint}.json`],
      (asked) => {
        const mended = mend(asked.text);
        const isNear = parsed(asked.text) === undefined && parsed(mended) !== undefined;
        return findEndpoint(asked) === endpoint && isNear ? { ...asked, text: mended } : asked;
      },
    ),
  );
}

/** Mutants that accept model names that resemble a name in the catalog. */
function nearModelsAccepted(endpoint: Endpoint): readonly Mutant[] {
  const suffix = endpoint === 'chat' ? '' : '-of-text';
  return [
    anyModel(
      `models-by-provider${suffix}`,
      `checks only the provider of \`model\` (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      (model) => /^(?!no-such)[^/]+\/no-such-/.test(String(model)),
    ),
    anyModel(
      `models-by-beginning${suffix}`,
      `accepts a \`model\` that only begins with a name in the catalog (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      (model) => /\/(?!no-such)[^/]+-no-such-/.test(String(model)),
    ),
  ];
}

/** Mutants that do not validate the second of two tools or tool calls. */
const secondsUnread: readonly Mutant[] = [
  reads(
    'second-tool-unread',
    'does not validate the second tool',
    ['body.tool.function-name'],
    reading('chat', (body) => ({
      ...body,
      ...(Array.isArray(body['tools']) && { tools: firstTwice(body['tools']) }),
    })),
  ),
  reads(
    'second-call-unread',
    'does not validate the second tool call of a message',
    ['body.tool-call.arguments-string'],
    reading('chat', (body) => ({
      ...body,
      ...(messagesIn(body).some(({ tool_calls: calls }) => Array.isArray(calls) && calls.length > 1) && {
        messages: messagesIn(body).map((message) => {
          const { tool_calls: calls } = message;
          return Array.isArray(calls) ? { ...message, tool_calls: firstTwice(calls) } : message;
        }),
      }),
    })),
  ),
];

/** Replaces the `function` of the second entry by the one of the first. */
function firstTwice(entries: readonly unknown[]): readonly unknown[] {
  const [first] = entries;
  const described = isObject(first) ? first['function'] : undefined;
  return entries.map((entry, at) =>
    at === 1 && isObject(entry) && isObject(described)
      ? withMember(entry as Json, 'function', described)
      : entry,
  );
}

/** Mutants for faults that earlier versions of the suite missed, one for each class. */
export const trialMutants: readonly Mutant[] = [
  servingFor(
    'serves-for-an-empty-payment',
    'returns a completion for an empty `X-PAYMENT` header',
    payment(''),
    'payment.malformed',
  ),
  servingFor('serves-for-the-word-test', 'returns a completion for `X-PAYMENT: test`', payment('test')),
  servingFor('serves-for-the-word-free', 'returns a completion for `X-PAYMENT: free`', payment('free')),
  servingFor(
    'serves-put',
    'returns a completion for a PUT request',
    ({ method, path }) => method === 'PUT' && findEndpoint({ path } as Asked) !== undefined,
  ),
  roleAccepted('developer'),
  roleAccepted('function'),
  ...nearlyAccepted('chat'),
  ...nearlyAccepted('completions'),
  ...nearModelsAccepted('chat'),
  ...nearModelsAccepted('completions'),
  ...secondsUnread,
];
