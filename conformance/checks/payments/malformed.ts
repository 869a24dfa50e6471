import { headerNames } from '@paid-inference/contract/constants';
import { getAddress } from 'ethers';
import { issueAfter } from '../../conditions/send.ts';
import { check, observation } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Signed } from '../../payment/throwaway.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, isRefused, judgeTransient, readError } from '../../sources/judgements.ts';
import { offerHeader } from '../../sources/sources.ts';
import {
  paidByThrowaway,
  pricedOffer,
  readsPayments,
  type Spoil,
  sendPayment,
  throwawayPayment,
  withByteChanged,
} from '../../sources/throwaway-source.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds, type Judgement, seen } from '../../types/verdict.ts';
import { encodeBase64Json } from '../../wire/base64-json.ts';
import type { Answered } from '../../wire/exchange.ts';
import { describeResponses } from '../bodies/rejects.ts';

/** A well-formed signature by no known key, so that only the rest of the payment is malformed. */
const signature = `0x${'5a'.repeat(64)}1b`;

/** Contents of `X-PAYMENT` that are no payment object. */
const malformed = {
  empty: '',
  'no base64': '%%%',
  'base64 of no JSON': Buffer.from('pay me').toString('base64'),
  'base64 of null': encodeBase64Json(null),
  'base64 of an array': encodeBase64Json([]),
  'base64 of an empty object': encodeBase64Json({}),
  'base64 of a `payload` that is null': encodeBase64Json({ payload: null }),
  'base64 of a `payload` without `authorization`': encodeBase64Json({ payload: { signature } }),
  'base64 of an `authorization` that is null': encodeBase64Json({
    payload: { signature, authorization: null },
  }),
} as const;

/** Contents that only the chat endpoint gets, because both endpoints should read payments alike (D-242). */
const malformedChat = {
  'base64 of bytes that are no UTF-8': Buffer.from([0xff, 0xfe, 0x7b]).toString('base64'),
  'base64 of a number': encodeBase64Json(7),
  'base64 of a text': encodeBase64Json('payment'),
  'base64 of a `payload` that is a text': encodeBase64Json({ payload: 'signed' }),
  'base64 of an `authorization` that is a text': encodeBase64Json({
    payload: { signature, authorization: 'signed' },
  }),
} as const;

type Change = (signed: Signed) => Readonly<Record<string, unknown>>;

const texts = ['from', 'to', 'value', 'nonce'] as const;
const times = ['validAfter', 'validBefore'] as const;

/** Each term is missing once, and has each other type once (§2.9). */
const badTypes: Readonly<Record<string, Change>> = Object.fromEntries(
  [...texts, ...times].flatMap((name): [words: string, change: Change][] => [
    [`no \`${name}\``, () => ({ [name]: undefined })],
    [`null as \`${name}\``, () => ({ [name]: null })],
    [`an object as \`${name}\``, () => ({ [name]: {} })],
    [`a word as \`${name}\``, () => ({ [name]: 'soon' })],
    ...(name === 'validAfter' || name === 'validBefore'
      ? []
      : [[`a number as \`${name}\``, () => ({ [name]: 7 })] satisfies [string, Change]]),
  ]),
);

/** Terms that no payment can have, that are of another type, or that are too large for many databases (§2.9). */
const badTerms: Readonly<Record<string, Change>> = {
  ...badTypes,
  'a negative `value`': () => ({ value: '-1' }),
  'a fraction as `value`': () => ({ value: '0.5' }),
  'a `value` of 256 bits': () => ({ value: (2n ** 256n - 1n).toString() }),
  'a fraction as `validAfter`': ({ authorization: { validAfter } }) => ({ validAfter: validAfter + 0.5 }),
  'a fraction as `validBefore`': ({ authorization: { validBefore } }) => ({ validBefore: validBefore - 0.5 }),
  'a `validBefore` of 53 bits': () => ({ validBefore: Number.MAX_SAFE_INTEGER }),
  'a nonce of 33 bytes': ({ authorization: { nonce } }) => ({ nonce: `${nonce}00` }),
  'a nonce that is no hex': ({ authorization: { nonce } }) => ({ nonce: `0xzz${nonce.slice(4)}` }),
};

/** Signatures of another type or length. Other checks have texts that are no signature. */
const badSignatures: Readonly<Record<string, unknown>> = {
  'a `signature` of 129 digits': signature.slice(0, -1),
  'null as `signature`': null,
  'a number as `signature`': 7,
  'an object as `signature`': {},
};

/** Exchanges the case of all letters of the right checksum of EIP-55. An offer may have a wrong one. */
function withWrongChecksum(address: string): string {
  const exchange = (letter: string) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return `0x${getAddress(address.toLowerCase()).slice(2).replace(/[a-f]/gi, exchange)}`;
}

/** Checksums of EIP-55 that are wrong. The signature has a changed byte, because it does not cover the checksum. */
const badChecksums = ['from', 'to'] as const;

/** The signature is that of the usual payment, so it does not cover a changed term. */
const edits: Readonly<Record<string, Spoil>> = {
  ...Object.fromEntries(
    Object.entries(badTerms).map(([words, change]): [string, Spoil] => [
      words,
      () => ({
        edit: (signed) => ({ ...signed, authorization: { ...signed.authorization, ...change(signed) } }),
      }),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(badSignatures).map(([words, other]): [string, Spoil] => [
      words,
      () => ({ edit: (signed) => ({ ...signed, signature: other }) }),
    ]),
  ),
  ...Object.fromEntries(
    badChecksums.map((name): [string, Spoil] => [
      `a wrong checksum in \`${name}\``,
      () => ({
        edit: ({ authorization, signature }) => ({
          authorization: { ...authorization, [name]: withWrongChecksum(authorization[name]) },
          signature: withByteChanged(signature),
        }),
      }),
    ]),
  ),
};

const badTermChecks = Object.entries(edits).map(([words, spoil]) =>
  check('payment.malformed', `A payment with ${words} is refused (chat)`, async (context) => {
    const answered = await paidByThrowaway(context, 'chat', spoil);
    if (!answered.ok) return answered.verdict;
    const verdict = await judgeBadForm(context, answered.value);
    await issueAfter(context, answered.value);
    return verdict;
  }),
);

/** Checks of headers that contain no payment or only a part of one (§7). */
export const malformedChecks = [
  ...paidEndpointNames.flatMap((endpoint) => [
    ...Object.entries(endpoint === 'chat' ? { ...malformed, ...malformedChat } : malformed).map(
      ([name, content]) =>
        check('payment.malformed', `A payment that is ${name} is refused (${endpoint})`, (context) =>
          given(context.ask(withPayment(endpoint, context.model, content)), (answered) =>
            judgeRefusal(context, answered),
          ),
        ),
    ),
    check('payment.malformed', `A payment with a nonce of 31 bytes is refused (${endpoint})`, (context) =>
      given(context.once(shortNonce[endpoint]), (answered) => judgeBadForm(context, answered)),
    ),
    ...(endpoint === 'chat' ? badTermChecks : []),
    check(
      'payment.malformed',
      `A payment in JSON without base64 is refused (${endpoint})`,
      async (context) => {
        // A gateway that accepts this form refuses the payment for the balance; at a price of zero it has no
        // reason.
        const priced = await pricedOffer(context, endpoint);
        if (!priced.ok) return priced.verdict;
        const answered = await paidInBareJson(context, endpoint);
        return answered.ok ? judgeRefusal(context, answered.value) : answered.verdict;
      },
    ),
  ]),
  observation('payment.malformed.status', 'Responses to malformed payments', async (context) => {
    const requests = Object.values(malformed).map((content) => withPayment('chat', context.model, content));
    const responses = await describeResponses(context, requests);
    return seen(
      Object.keys(malformed)
        .map((name, index) => `${name}: ${responses[index]}`)
        .join('; '),
    );
  }),
  observation('payment.short-nonce', 'Response to a nonce of 31 bytes', (context) =>
    given(context.once(shortNonce.chat), (answered) => seen(describe(answered))),
  ),
];

async function paidInBareJson(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const payment = await throwawayPayment(context, endpoint);
  if (!payment.ok) return payment;
  const content = Buffer.from(payment.value.content, 'base64').toString('utf8');
  return sendPayment(context, endpoint, { ...payment.value, content });
}

/** The signature covers the removed byte, so a nonce that the gateway pads does not match it. */
const cut: Spoil = () => ({
  edit: ({ authorization, signature }) => ({
    authorization: { ...authorization, nonce: authorization.nonce.slice(0, -2) },
    signature,
  }),
});

const shortNonce = {
  chat: (context: Context) => paidByThrowaway(context, 'chat', cut),
  completions: (context: Context) => paidByThrowaway(context, 'completions', cut),
} as const;

/** The contract does not say which status refuses a payment whose only fault is the form of a term (§2.9). */
async function judgeBadForm(context: Context, answered: Answered): Promise<Judgement> {
  const passed = judgeTransient(answered);
  if (passed) return passed;
  const { status } = answered.outcome;
  if (status < 400 || status >= 500) {
    return broken('a refusal with a status from 400 to 499', describe(answered));
  }
  const reads = await readsPayments(context);
  return reads.ok ? holds(`refused: ${describe(answered)}`) : reads.verdict;
}

/**
 * After a server fault, a plain request shows whether the target still works, so that later payments are sent.
 */
async function judgeRefusal(context: Context, answered: Answered): Promise<Judgement> {
  const isPaymentRequired =
    answered.outcome.status === 402 && readError(answered.outcome.body)?.['code'] === undefined;
  if (isPaymentRequired && !offerHeader(answered).ok) {
    return broken(`the header ${headerNames.paymentRequired} on the 402`, 'no such header');
  }
  const verdict = isRefused(answered);
  await issueAfter(context, answered);
  if (verdict.kind !== 'holds') return verdict;
  const reads = await readsPayments(context);
  return reads.ok ? verdict : reads.verdict;
}

function withPayment(endpoint: PaidEndpoint, model: string, content: string) {
  // No key has signed this payment.
  return {
    ...validRequest(endpoint, bodyFor(endpoint, model), { [headerNames.payment]: content }),
    isRepeatable: true,
  } as const;
}
