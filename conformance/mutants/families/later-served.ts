import { type Of, receipting, replying, serving } from '../edits.ts';
import { declared, hasResults, isToolTurn, later } from '../later.ts';
import type { Asked } from '../message.ts';
import { answers, type Mutant } from '../mutant.ts';
import { absent, isObject, isPaid, type Json, withMember, withoutHeader } from '../wire-edits.ts';

const receiptHeader = 'X-PAYMENT-RESPONSE';
const nobody = `0x${'00'.repeat(20)}`;

function ofType(type: string) {
  return (asked: Asked) => isPaid(asked) && asked.headers['x-settlement-type'] === type;
}

const isBare = (asked: Asked) => !asked.text.includes('"max_tokens"');

const paid = (when: (asked: Asked) => boolean): Of => ({
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

/** Paid answers of which the first is right (contract 2.6, 2.11, 4.1). */
export const laterServedMutants: readonly Mutant[] = [
  later(
    'later-chats-in-html',
    'declares chats as pages once it has served one',
    ['served.content-type'],
    ['chat', 200],
    (of) => declared('text/html', of),
  ),
  answers(
    'tool-turn-not-declared',
    'declares an answer to a body with tools as nothing',
    ['served.content-type'],
    replying((reply) => withoutHeader(reply, 'Content-Type'), paid(isToolTurn)),
  ),
  answers(
    'private-answers-declared-as-bytes',
    'declares private answers as bytes',
    ['served.content-type'],
    declared('application/octet-stream', paid(ofType('private'))),
  ),
  later(
    'later-receipts-missing',
    'gives no receipts for chats after the first',
    ['served.receipt'],
    ['chat', 200],
    (of) => replying((reply) => withoutHeader(reply, receiptHeader), of),
  ),
  later(
    'later-receipts-of-another-chain',
    'writes another chain into receipts after the first',
    ['served.receipt'],
    ['chat', 200],
    (of) => receipting((receipt) => ({ ...receipt, chainId: 1 }), of),
  ),
  answers(
    'tool-turn-without-receipt',
    'gives no receipt for an answer to a body with tools',
    ['served.receipt'],
    replying((reply) => withoutHeader(reply, receiptHeader), paid(isToolTurn)),
  ),
  answers(
    'receipt-of-results-in-raw-json',
    'puts the JSON of a receipt into its header where a tool has answered',
    ['served.receipt'],
    receipting((receipt) => JSON.stringify(receipt), paid(hasResults)),
  ),
  answers(
    'receipt-of-individual-for-nobody',
    'names another payer in receipts of the settlement type `individual`',
    ['served.receipt'],
    receipting((receipt) => ({ ...receipt, payer: nobody }), paid(ofType('individual'))),
  ),
  answers(
    'receipt-of-batch-without-hash',
    'leaves `txHash` out of receipts of the settlement type `batch`',
    ['served.receipt'],
    receipting((receipt) => withMember(receipt, 'txHash', absent), paid(ofType('batch'))),
  ),
  answers(
    'receipt-of-bare-body-unsettled',
    'says of a body with nothing but what is required that its payment has not settled',
    ['served.receipt'],
    receipting((receipt) => ({ ...receipt, success: false }), paid(isBare)),
  ),
  later(
    'later-chats-without-usage',
    'counts no tokens of chats after the first',
    ['served.body'],
    ['chat', 200],
    (of) => serving((body) => withMember(body, 'usage', absent), of),
  ),
  later(
    'later-chats-as-text-completions',
    'calls chats after the first text completions',
    ['served.body'],
    ['chat', 200],
    (of) => serving((body) => ({ ...body, object: 'text_completion' }), of),
  ),
  answers(
    'individual-answered-with-a-page',
    'answers with a page under the name of JSON where the settlement type is `individual`',
    ['served.body'],
    replying((reply) => ({ ...reply, text: '<p>pong</p>' }), paid(ofType('individual'))),
  ),
  answers(
    'tool-turn-in-milliseconds',
    'counts `created` of an answer to a body with tools in milliseconds',
    ['served.body'],
    serving((body) => ({ ...body, created: Number(body['created']) * 1000 }), paid(isToolTurn)),
  ),
  answers(
    'results-answered-with-no-choice',
    'answers with no choice where a tool has answered',
    ['served.body'],
    serving((body) => ({ ...body, choices: [] }), paid(hasResults)),
  ),
  answers(
    'bare-body-answered-with-null',
    'answers with `content` null where nothing but what is required is asked for',
    ['served.body'],
    serving((body) => withChoice(body, 'message.content', null), paid(isBare)),
  ),
  answers(
    'calls-in-private-that-are-none',
    'answers with calls that have no parts where the settlement type is `private`',
    ['served.body'],
    serving((body) => withChoice(body, 'message.tool_calls', [{}]), paid(ofType('private'))),
  ),
];
