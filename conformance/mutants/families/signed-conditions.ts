import {
  both,
  type Condition,
  has,
  hasResult,
  isBeside,
  isLarge,
  isReused,
  isStreamed,
  isText,
  knowing,
  model,
  parseBody,
  takingStreams,
  type,
} from '../conditions.ts';
import { isAboutFunds } from '../edits.ts';
import type { Mutant } from '../mutant.ts';
import type { PaymentForge } from '../payment-forge.ts';
import { findEndpoint, messagesIn, readPayment, withJson } from '../wire-edits.ts';
import { readPayer, untampered } from './signature.ts';

type Payment = NonNullable<ReturnType<typeof readPayment>>;
type Fault = (payment: Payment, forge: PaymentForge) => boolean;

export const isToSelf: Fault = (payment) =>
  String(payment.authorization['to']).toLowerCase() === readPayer(payment);
export const isLate: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validBefore']) < nowSeconds;
export const isEarly: Fault = ({ authorization }, { nowSeconds }) =>
  Number(authorization['validAfter']) > nowSeconds;

export const isChat: Condition = (asked) => !isText(asked, []);
const isDefault: Condition = (asked) => parseBody(asked)['max_tokens'] === undefined;
const isCold: Condition = (asked) => parseBody(asked)['temperature'] === 0;
const isOutsideAscii: Condition = ({ text }) => /[^\0-\x7f]/.test(text);
const lacksSystem: Condition = (asked) =>
  isChat(asked, []) && messagesIn(parseBody(asked)).every(({ role }) => role !== 'system');
const isOfOneMessage: Condition = (asked) => messagesIn(parseBody(asked)).length === 1;
const isOfHundredTokens: Condition = (asked) => Number(parseBody(asked)['max_tokens']) >= 100;
const isOfFewTokens: Condition = (asked) => Number(parseBody(asked)['max_tokens'] ?? 100) <= 5;

export type Conditional = readonly [id: string, when: string, condition: Condition];

const conditions: readonly Conditional[] = [
  ['last-model', 'for its last model', model(-1)],
  ['reused-connection', 'on a reused connection', isReused],
  ['beside-others', 'while other requests are in progress', isBeside],
  ['large-body', 'for a body of more than 64 KiB', isLarge],
  ['after-a-call', 'after a tool result', hasResult],
  ['one-message', 'for a chat of one message', isOfOneMessage],
  ...['auto', 'none'].map(
    (choice): Conditional => [
      `choice-${choice}`,
      `for a chat whose \`tool_choice\` is \`${choice}\``,
      (asked) => parseBody(asked)['tool_choice'] === choice,
    ],
  ),
  ['no-system-message', 'for a chat without a system message', lacksSystem],
  ['private', 'with settlement type `private`', type('private')],
  ['individual', 'with settlement type `individual`', type('individual')],
  ['prompt-cache-key', 'for a body with `prompt_cache_key`', has('prompt_cache_key')],
  ['hundred-tokens', 'for a chat of 100 tokens or more', both(isOfHundredTokens, isChat)],
  [
    'long-text',
    'for a text request of more than 400 characters',
    both(isText, ({ text }) => text.length > 400),
  ],
  ...(['chat', 'completions'] as const).flatMap((endpoint): readonly Conditional[] => {
    const at: Condition = (asked) => findEndpoint(asked) === endpoint;
    return [
      ...(['private', 'individual', 'batch'] as const).map(
        (name): Conditional => [
          `${name}-${endpoint}`,
          `with settlement type \`${name}\` (${endpoint})`,
          both(at, type(name)),
        ],
      ),
      [`few-tokens-${endpoint}`, `for at most five tokens (${endpoint})`, both(at, isOfFewTokens)],
      [`default-${endpoint}`, `for a body without \`max_tokens\` (${endpoint})`, both(at, isDefault)],
      [`cold-${endpoint}`, `at \`temperature\` 0 (${endpoint})`, both(at, isCold)],
      [`not-ascii-${endpoint}`, `for text outside ASCII (${endpoint})`, both(at, isOutsideAscii)],
    ];
  }),
];

/** Numbers of a payment that may begin with a zero byte. */
const zeroBytes: readonly (readonly [id: string, what: string, isLed: (payment: Payment) => boolean])[] = [
  ['nonce', 'a nonce', ({ authorization }) => /^0x00/.test(String(authorization['nonce']))],
  ['r', 'an `r`', ({ signature }) => /^0x00/.test(signature)],
  ['s', 'an `s`', ({ signature }) => /^0x.{64}00/.test(signature)],
  ['from', 'an address of the payer', ({ authorization }) => /^0x00/.test(String(authorization['from']))],
];

const invalidSignature = {
  error: { message: 'No.', type: 'authentication_error', code: 'invalid_signature' },
} as const;

/** Mutants that check payments wrongly under a condition (contract 3, 7). */
export const signedConditionMutants: readonly Mutant[] = [
  wrongTerms(
    'any-recipient-with-a-type-taken',
    'accepts a payment to a recipient other than `payTo` when a settlement type is given',
    isToSelf,
    ({ headers }) => headers['x-settlement-type'] !== undefined,
  ),
  wrongTerms(
    'any-recipient-beside-others-taken',
    'accepts a payment to a recipient other than `payTo` while other requests are in progress',
    isToSelf,
    isBeside,
  ),
  wrongTerms(
    'expired-beside-others-taken',
    'accepts an expired payment while other requests are in progress',
    isLate,
    isBeside,
  ),
  wrongTerms(
    'early-beside-others-taken',
    'accepts a payment that is not yet valid while other requests are in progress',
    isEarly,
    isBeside,
  ),
  ...[
    wrongTerms(
      'expired-with-a-stream-taken',
      'accepts an expired payment for a body with `stream: true`',
      isLate,
      isStreamed,
    ),
    ...mutateBoth(['stream', 'for a body with `stream: true`', isStreamed]),
  ].map(takingStreams),
  ...conditions.flatMap(mutateBoth),
  wrongTerms(
    'any-recipient-by-default-taken',
    'accepts a payment to a recipient other than `payTo` for a body without `max_tokens`',
    isToSelf,
    isDefault,
  ),
  wrongTerms(
    'any-recipient-for-one-message-taken',
    'accepts a payment to a recipient other than `payTo` for a chat of one message',
    isToSelf,
    isOfOneMessage,
  ),
  wrongTerms(
    'expired-for-one-message-taken',
    'accepts an expired payment for a chat of one message',
    isLate,
    isOfOneMessage,
  ),
  wrongTerms(
    'any-recipient-without-a-system-message-taken',
    'accepts a payment to a recipient other than `payTo` for a chat without a system message',
    isToSelf,
    lacksSystem,
  ),
  wrongTerms(
    'any-recipient-with-a-verbosity-taken',
    'accepts a payment to a recipient other than `payTo` for a body with `verbosity`',
    isToSelf,
    has('verbosity'),
  ),
  wrongTerms(
    'expired-with-a-seed-taken',
    'accepts an expired payment for a body with `seed`',
    isLate,
    has('seed'),
  ),
  wrongTerms(
    'expired-for-few-tokens-taken',
    'accepts an expired payment for at most five tokens',
    isLate,
    isOfFewTokens,
  ),
  wrongTerms(
    'expired-for-a-private-text-taken',
    'accepts an expired payment for a text request with settlement type `private`',
    isLate,
    both(isText, type('private')),
  ),
  wrongTerms('expired-when-cold-taken', 'accepts an expired payment at `temperature` 0', isLate, isCold),
  wrongTerms(
    'early-for-hundred-tokens-taken',
    'accepts a payment that is not yet valid for 100 tokens or more',
    isEarly,
    isOfHundredTokens,
  ),
  wrongTerms(
    'early-outside-ascii-taken',
    'accepts a payment that is not yet valid for text outside ASCII',
    isEarly,
    isOutsideAscii,
  ),
  ...zeroBytes.map(
    ([id, what, isLed]): Mutant => ({
      id: `zero-byte-before-${id}-refused`,
      does: `returns 401 instead of insufficient_funds for ${what} that begins with a zero byte, when a settlement type is given`,
      place: 'respond',
      kills: ['conditions.funds'],
      edge: () => ({
        respond: (reply, asked) => {
          const payment = readPayment(asked);
          // Without a settlement type, one in 256 payments of other checks would be refused too.
          const isRefused = asked.headers['x-settlement-type'] !== undefined && payment && isLed(payment);
          return isRefused && isAboutFunds(asked, reply)
            ? withJson({ ...reply, status: 401 }, invalidSignature)
            : reply;
        },
      }),
    }),
  ),
];

/** Accepts a payment with wrong terms until the check of the balance. */
export function wrongTerms(id: string, does: string, isWrong: Fault, condition: Condition): Mutant {
  return {
    id,
    does,
    place: 'read',
    kills: ['conditions.terms'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = readPayment(asked);
          const isTaken = payment && isMet(asked) && isWrong(payment, forge);
          return isTaken ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      condition,
    ),
  };
}

/** Only a gateway that lists six models reveals these mutants. */
export const signedSixthModelMutants: readonly Mutant[] = mutateBoth([
  'sixth-model',
  'for its sixth model',
  model(5),
]);

/** Accepts signatures with one changed byte until the check of the balance. */
function tamperedTaken([id, when, condition]: Conditional): Mutant {
  return {
    id: `tampered-${id}-taken`,
    does: `accepts a signature with one byte of \`r\` changed ${when}`,
    place: 'read',
    kills: ['conditions.signature'],
    edge: knowing(
      (isMet) => ({
        read: async (asked, forge) => {
          const payment = readPayment(asked);
          if (!payment || !isMet(asked)) return asked;
          const signer = await forge.recoverSigner(asked, untampered);
          return signer === readPayer(payment) ? forge.paidBy('stranger', asked) : asked;
        },
      }),
      condition,
    ),
  };
}

export function mutateBoth([id, when, condition]: Conditional): readonly Mutant[] {
  return [
    tamperedTaken([id, when, condition]),
    {
      id: `poor-${id}-called-forgers`,
      does: `returns 401 instead of insufficient_funds ${when}`,
      place: 'respond',
      kills: ['conditions.funds'],
      edge: knowing(
        (isMet) => ({
          respond: (reply, asked) =>
            isMet(asked) && isAboutFunds(asked, reply)
              ? withJson({ ...reply, status: 401 }, invalidSignature)
              : reply,
        }),
        condition,
      ),
    },
  ];
}
