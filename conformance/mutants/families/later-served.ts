import { receipting, replying, type Scope, serving } from '../edits.ts';
import { declared, hasResults, isToolTurn, later } from '../later.ts';
import type { Asked } from '../message.ts';
import { type Mutant, responds } from '../mutant.ts';
import { absent, isObject, isPaid, type Json, withMember, withoutHeader } from '../wire-edits.ts';

const receiptHeader = 'X-PAYMENT-RESPONSE';
const nobody = `0x${'00'.repeat(20)}`;

function hasType(type: string) {
  return (asked: Asked) => isPaid(asked) && asked.headers['x-settlement-type'] === type;
}

const isBare = (asked: Asked) => !asked.text.includes('"max_tokens"');

const paid = (when: (asked: Asked) => boolean): Scope => ({
  endpoint: 'chat',
  when: (asked, { status }) => status === 200 && isPaid(asked) && when(asked),
});

function withChoice(body: Json, path: string, value: unknown): Json {
  const choices: readonly unknown[] = Array.isArray(body['choices']) ? body['choices'] : [];
  return {
    ...body,
    choices: choices.map((choice) => (isObject(choice) ? withMember(choice, path, value) : choice)),
  };
}

const typed = ({ headers }: Asked) => headers['x-settlement-type'] !== undefined;

/** Mutants whose paid responses are wrong only later or in special cases (contract 2.6, 2.11, 4.1). */
export const laterServedMutants: readonly Mutant[] = [
  later(
    'later-chats-in-html',
    'declares chat completions after the first as text/html',
    ['served.content-type', 'served.body'],
    ['chat', 200],
    (of) => declared('text/html', of),
  ),
  ...(['chat', 'completions'] as const).map((endpoint) =>
    responds(
      `max-tokens-not-kept-with-a-type-${endpoint}`,
      `reports more completion tokens than \`max_tokens\` allows with a settlement type (${endpoint})`,
      [`${endpoint}.max_tokens.respected`],
      serving((body) => withMember(body, 'usage.completion_tokens', 99), { endpoint, when: typed }),
    ),
  ),
  responds(
    'tool-turn-not-declared',
    'omits `Content-Type` from a paid response to a chat that offers tools',
    ['served.content-type'],
    replying((reply) => withoutHeader(reply, 'Content-Type'), paid(isToolTurn)),
  ),
  responds(
    'private-responses-declared-as-bytes',
    'declares chat completions with settlement type `private` as application/octet-stream',
    ['served.content-type'],
    declared('application/octet-stream', paid(hasType('private'))),
  ),
  later(
    'later-receipts-missing',
    'omits the receipt for chats after the first',
    ['served.receipt'],
    ['chat', 200],
    (of) => replying((reply) => withoutHeader(reply, receiptHeader), of),
  ),
  later(
    'later-receipts-of-another-chain',
    'names another chain in receipts for chats after the first',
    ['served.receipt'],
    ['chat', 200],
    (of) => receipting((receipt) => ({ ...receipt, chainId: 1 }), of),
  ),
  responds(
    'tool-turn-without-receipt',
    'omits the receipt for a chat that offers tools',
    ['served.receipt'],
    replying((reply) => withoutHeader(reply, receiptHeader), paid(isToolTurn)),
  ),
  responds(
    'receipt-of-results-in-raw-json',
    'sends the receipt as JSON without base64 for a chat with a tool result',
    ['served.receipt'],
    receipting((receipt) => JSON.stringify(receipt), paid(hasResults)),
  ),
  responds(
    'receipt-of-individual-for-another',
    'names another payer in the receipt when the settlement type is `individual`',
    ['served.receipt'],
    receipting((receipt) => ({ ...receipt, payer: nobody }), paid(hasType('individual'))),
  ),
  responds(
    'receipt-of-batch-without-hash',
    'omits `txHash` from the receipt when the settlement type is `batch`',
    ['served.receipt'],
    receipting((receipt) => withMember(receipt, 'txHash', absent), paid(hasType('batch'))),
  ),
  responds(
    'receipt-of-bare-body-unsettled',
    'sets `success` to false in the receipt when a chat has no `max_tokens`',
    ['served.receipt'],
    receipting((receipt) => ({ ...receipt, success: false }), paid(isBare)),
  ),
  later(
    'later-chats-without-usage',
    'omits `usage` from chat completions after the first',
    ['served.body'],
    ['chat', 200],
    (of) => serving((body) => withMember(body, 'usage', absent), of),
  ),
  later(
    'later-chats-as-text-completions',
    'sets `object` to text_completion in chat completions after the first',
    ['served.body'],
    ['chat', 200],
    (of) => serving((body) => ({ ...body, object: 'text_completion' }), of),
  ),
  responds(
    'individual-answered-with-a-page',
    'sends an HTML page declared as JSON when the settlement type is `individual`',
    ['served.body'],
    replying((reply) => ({ ...reply, text: '<p>pong</p>' }), paid(hasType('individual'))),
  ),
  responds(
    'tool-turn-in-milliseconds',
    'sends `created` in milliseconds for a chat that offers tools',
    ['served.body'],
    serving((body) => ({ ...body, created: Number(body['created']) * 1000 }), paid(isToolTurn)),
  ),
  responds(
    'results-answered-with-no-choice',
    'sends no choices for a chat with a tool result',
    ['served.body'],
    serving((body) => ({ ...body, choices: [] }), paid(hasResults)),
  ),
  responds(
    'bare-body-answered-with-null',
    'sets `content` to null when a chat has no `max_tokens`',
    ['served.body'],
    serving((body) => withChoice(body, 'message.content', null), paid(isBare)),
  ),
  responds(
    'calls-in-private-that-are-none',
    'sends empty objects as tool calls when the settlement type is `private`',
    ['served.body'],
    serving((body) => withChoice(body, 'message.tool_calls', [{}]), paid(hasType('private'))),
  ),
];
