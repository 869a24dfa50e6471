import type { RequirementId } from '@paid-inference/contract/requirements';
import { isSignedFor, type Json } from './behaviour.ts';
import { isObject } from './body-rules.ts';
import type { Change } from './stand-in.ts';

/** A stand-in that breaks the contract in one way, and what must notice it. */
export type Mutant = {
  readonly id: string;
  readonly change: Change;
  /** The requirements that it breaks: these fail, all of them and no other. */
  readonly kills: readonly RequirementId[];
};

export const mutants: readonly Mutant[] = [
  {
    id: 'offer-header-missing',
    change: () => ({ demand: () => ({ status: 402, headers: {}, body: {} }) }),
    kills: ['unpaid.402.header-present', 'payment.malformed'],
  },
  {
    id: 'offer-header-raw-json',
    change: () => ({ encode: (value) => JSON.stringify(value) }),
    kills: ['unpaid.402.header-base64'],
  },
  {
    id: 'offer-in-an-array',
    change: ({ offer, encode }) => ({
      demand: (requirements) => ({
        status: 402,
        headers: { 'X-PAYMENT-REQUIRED': encode([requirements]) },
        body: {},
      }),
      offer,
    }),
    kills: ['unpaid.402.header-object'],
  },
  {
    id: 'amount-as-number',
    change: ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), maxAmountRequired: 1000 }) }),
    kills: ['offer.maxAmountRequired'],
  },
  {
    id: 'resource-without-path',
    change: ({ offer }) => ({
      offer: (endpoint, url) => ({ ...offer(endpoint, url), resource: new URL(url).origin }),
    }),
    kills: ['offer.resource', 'offer.resource.per-endpoint'],
  },
  {
    id: 'completions-for-nothing',
    change: ({ demand, answer }) => ({
      demand(offer) {
        if (offer['description'] !== 'Text completion') return demand.call(this, offer);
        return { status: 200, headers: {}, body: answer('completions', {}, 1_700_000_000) };
      },
    }),
    kills: ['unpaid.completions.402', 'unpaid.never-200'],
  },
  {
    id: 'temperature-without-maximum',
    change: ({ bodyFault }) => ({
      bodyFault: (endpoint, body) => {
        const isHot = isObject(body) && Number(body['temperature']) > 2;
        return bodyFault(endpoint, isHot ? { ...body, temperature: 2 } : body);
      },
    }),
    kills: ['body.chat.temperature.maximum', 'body.completions.temperature.range', 'body.invalid.paid'],
  },
  {
    id: 'error-at-top-level-on-400',
    change: ({ error }) => ({
      error: (status, type, code) => {
        const reply = error(status, type, code);
        return status === 400 ? { ...reply, body: { message: 'No.', type, code } } : reply;
      },
    }),
    kills: ['error.400.envelope', 'error.400.type', 'error.400.code'],
  },
  {
    id: 'any-chain-signature',
    change: () => ({
      isSigned: (payment, offer) => [84_532, 84_533].some((chain) => isSignedFor(payment, offer, chain)),
    }),
    kills: ['signature.domain.chainId'],
  },
  {
    id: 'signatures-not-verified',
    change: () => ({ isSigned: () => true }),
    kills: ['signature.tampered'],
  },
  {
    id: 'bad-signature-as-402',
    change: () => ({
      error(status, type, code) {
        if (status === 401) return { status: 402, headers: { 'X-PAYMENT-REQUIRED': 'e30=' }, body: {} };
        return { status, headers: {}, body: { error: { message: 'No.', type, code } } };
      },
    }),
    kills: [
      'signature.tampered',
      'signature.tampered.completions',
      'signature.other-signer',
      'signature.authorization-edited',
      'signature.domain.name',
      'signature.domain.version',
      'signature.domain.chainId',
      'signature.domain.verifyingContract',
      'signature.primary-type',
    ],
  },
  {
    id: 'funds-as-400',
    change: ({ error }) => ({
      error: (status, type, code) => error(code === 'insufficient_funds' ? 400 : status, type, code),
    }),
    kills: ['funds.insufficient.402', 'funds.insufficient.completions'],
  },
  {
    id: 'type-and-code-swapped-on-401',
    change: ({ error }) => ({
      error: (status, type, code) => (status === 401 ? error(status, code, type) : error(status, type, code)),
    }),
    kills: ['error.401.type', 'error.401.code'],
  },
  {
    id: 'created-in-milliseconds',
    change: ({ answer }) => ({
      answer: (endpoint, body, now) => ({ ...answer(endpoint, body, now), created: now * 1000 }),
    }),
    kills: ['chat.body.created', 'completions.body.created'],
  },
  {
    id: 'receipt-missing',
    change: () => ({ finish: (reply) => (reply.status === 200 ? { ...reply, headers: {} } : reply) }),
    kills: ['receipt.header-present', 'receipt.completions'],
  },
  {
    id: 'receipt-names-recipient',
    change: ({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), payer: authorization.to }),
    }),
    kills: ['receipt.payer', 'receipt.completions'],
  },
  {
    id: 'any-recipient',
    change: ({ termsFault }) => ({
      termsFault: (authorization, offer, now) =>
        termsFault({ ...authorization, to: String(offer['payTo']) }, offer, now),
    }),
    kills: ['payment.other-recipient.refused'],
  },
  {
    id: 'window-ignored',
    change: ({ termsFault }) => ({
      termsFault: (authorization, offer, now) =>
        termsFault({ ...authorization, validAfter: now, validBefore: now }, offer, now),
    }),
    kills: ['payment.expired.refused', 'payment.not-yet-valid.refused'],
  },
  {
    id: 'individual-refused',
    change: ({ acceptsSettlementType }) => ({
      acceptsSettlementType: (type) => type !== 'individual' && acceptsSettlementType(type),
    }),
    kills: ['settlement-type.individual.accepted'],
  },
  {
    id: 'tool-arguments-as-object',
    change: ({ answer }) => ({
      answer: (endpoint, body, now) => withCalls(answer(endpoint, body, now), { city: 'Oslo' }),
    }),
    kills: ['tools.call'],
  },
];

/** The canary: answers 418 to everything, and must die whatever else happens. */
export const canary: Change = () => ({ finish: () => ({ status: 418, headers: {}, body: {} }) });

function withCalls(answer: Json, given: Json): Json {
  const text = JSON.stringify(answer, (key, value) => (key === 'arguments' ? given : value));
  return JSON.parse(text);
}
