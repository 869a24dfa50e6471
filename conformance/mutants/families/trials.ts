import type { RequirementId } from '@paid-inference/contract/requirements';
import { reading } from '../edits.ts';
import type { Asked, Reply } from '../message.ts';
import { answers, type Mutant, reads } from '../mutant.ts';
import {
  type Endpoint,
  endpointOf,
  isObject,
  type Json,
  messagesOf,
  parsed,
  withMember,
} from '../wire-edits.ts';
import { anyModel } from './bodies.ts';
import { asServed } from './served-unpaid.ts';

/** Serves what is no payment, where no good one is at hand. */
function servingFor(
  id: string,
  does: string,
  when: (asked: Asked) => boolean,
  ...others: readonly RequirementId[]
): Mutant {
  return answers(id, does, ['unpaid.never-200', ...others], (reply: Reply, asked) =>
    when(asked) ? asServed(reply) : reply,
  );
}

const payment = (word: string) => (asked: Asked) =>
  endpointOf(asked) !== undefined && asked.headers['x-payment'] === word;

/** Takes a role that interfaces like this one have. */
function roleAccepted(role: string): Mutant {
  return reads(
    `role-${role}-taken`,
    `takes the role \`${role}\` for \`system\``,
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
  ['trailing-commas', 'a comma after the last member', (text) => text.replace(/,\s*\}$/, '}')],
  ['text-after-json', 'text after the object', (text) => text.replace(/\} end$/, '}')],
  ['comments', 'a comment', (text) => text.replace(/^\/\*.*?\*\//, '')],
  ['single-quotes', 'single quotes', (text) => text.replaceAll("'", '"')],
];

/** Takes what is nearly JSON for it. */
function nearlyAccepted(endpoint: Endpoint): readonly Mutant[] {
  return near.map(([id, what, mend]) =>
    reads(
      `${id}-taken${endpoint === 'chat' ? '' : '-in-text'}`,
      `takes JSON with ${what} (${endpoint})`,
      [`body.${endpoint}.json`],
      (asked) => {
        const mended = mend(asked.text);
        const isNear = parsed(asked.text) === undefined && parsed(mended) !== undefined;
        return endpointOf(asked) === endpoint && isNear ? { ...asked, text: mended } : asked;
      },
    ),
  );
}

/** Takes models that no catalog has, and that are near to one that it has. */
function nearModelsAccepted(endpoint: Endpoint): readonly Mutant[] {
  const suffix = endpoint === 'chat' ? '' : '-of-text';
  return [
    anyModel(
      `models-by-provider${suffix}`,
      `looks at nothing but the provider of a \`model\` (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      (model) => /^(?!no-such)[^/]+\/no-such-/.test(String(model)),
    ),
    anyModel(
      `models-by-beginning${suffix}`,
      `takes a \`model\` whose name goes on after one that it has (${endpoint})`,
      `body.${endpoint}.model.in-catalog`,
      endpoint,
      (model) => /\/(?!no-such)[^/]+-no-such-/.test(String(model)),
    ),
  ];
}

/** The second of two tools or calls is not read, and so whatever stands there is taken. */
const secondsUnread: readonly Mutant[] = [
  reads(
    'second-tool-unread',
    'reads the first tool alone',
    ['body.tool.function-name'],
    reading('chat', (body) => ({
      ...body,
      ...(Array.isArray(body['tools']) && { tools: firstTwice(body['tools']) }),
    })),
  ),
  reads(
    'second-call-unread',
    'reads the first call of a message alone',
    ['body.tool-call.arguments-string'],
    reading('chat', (body) => ({
      ...body,
      ...(messagesOf(body).some(({ tool_calls: calls }) => Array.isArray(calls) && calls.length > 1) && {
        messages: messagesOf(body).map((message) => {
          const { tool_calls: calls } = message;
          return Array.isArray(calls) ? { ...message, tool_calls: firstTwice(calls) } : message;
        }),
      }),
    })),
  ),
];

/** The function of the first for the second too. */
function firstTwice(entries: readonly unknown[]): readonly unknown[] {
  const [first] = entries;
  const described = isObject(first) ? first['function'] : undefined;
  return entries.map((entry, at) =>
    at === 1 && isObject(entry) && isObject(described)
      ? withMember(entry as Json, 'function', described)
      : entry,
  );
}

/** Faults of gateways that passed unseen in trials, one class each. */
export const trialMutants: readonly Mutant[] = [
  servingFor(
    'serves-for-an-empty-payment',
    'serves for an empty `X-PAYMENT`',
    payment(''),
    'payment.malformed',
  ),
  servingFor('serves-for-the-word-test', 'serves for the word `test` as `X-PAYMENT`', payment('test')),
  servingFor('serves-for-the-word-free', 'serves for the word `free` as `X-PAYMENT`', payment('free')),
  servingFor(
    'serves-put',
    'serves without a payment what is put',
    ({ method, path }) => method === 'PUT' && endpointOf({ path } as Asked) !== undefined,
  ),
  roleAccepted('developer'),
  roleAccepted('function'),
  ...nearlyAccepted('chat'),
  ...nearlyAccepted('completions'),
  ...nearModelsAccepted('chat'),
  ...nearModelsAccepted('completions'),
  ...secondsUnread,
];
