import { randomBytes } from 'node:crypto';
import { chainId, headerNames } from '@paid-inference/contract/constants';
import type { InsufficientFundsBody, InvalidSignatureBody } from '@paid-inference/contract/types';
import { check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, missing } from '../engine/found.ts';
import { broken, type Judgement, unknown } from '../engine/verdict.ts';
import type { Offer } from '../payment/offer.ts';
import type { Signed, Spoiling } from '../payment/throwaway.ts';
import type { Answered } from '../wire/session.ts';
import { bodyFor, type PaidEndpoint, validRequest } from './bodies.ts';
import { envelopeChecks } from './envelope.ts';
import { describe, errorOf, hasStatus } from './judgements.ts';
import { offer } from './sources.ts';

type Spoil = (offer: Offer) => Spoiling;

// The compiler holds these to the contract's types.
export const invalidSignature = {
  type: 'authentication_error',
  code: 'invalid_signature',
} as const satisfies Pick<InvalidSignatureBody['error'], 'type' | 'code'>;
const insufficientFunds = 'insufficient_funds' as const satisfies InsufficientFundsBody['error']['code'];

const tampered = (context: Context) => paidByThrowaway(context, 'chat', tamper);
const byAnother = (context: Context) => paidByThrowaway(context, 'chat', () => ({ from: randomHex(20) }));

/** Signatures that are invalid, each for one reason (contract 3, 4.4, 5). */
export const signatureChecks = [
  check('signature.tampered', 'A signature with one byte changed is answered 401', (context) =>
    given(context.once(tampered), (answered) => judgeTampered(context, answered)),
  ),
  check('signature.tampered.completions', 'The same for text completions', (context) =>
    given(paidByThrowaway(context, 'completions', tamper), (answered) => judgeInvalid(context, answered)),
  ),
  check('signature.other-signer', 'A signature by another than `from` is answered 401', (context) =>
    given(context.once(byAnother), (answered) => judgeInvalid(context, answered)),
  ),
  invalid('signature.authorization-edited', 'An authorization edited after signing is answered 401', () => ({
    edit: ({ authorization, signature }) => ({
      authorization: { ...authorization, nonce: lastByteFlipped(authorization.nonce) },
      signature,
    }),
  })),
  invalid('signature.domain.name', 'A signature for another domain `name` is answered 401', (terms) => ({
    twist: { name: `${terms.domainName} Two` },
  })),
  invalid(
    'signature.domain.version',
    'A signature for another domain `version` is answered 401',
    (terms) => ({
      twist: { version: `${terms.domainVersion}0` },
    }),
  ),
  invalid('signature.domain.chainId', 'A signature for another chain is answered 401', () => ({
    twist: { chainId: chainId + 1 },
  })),
  invalid('signature.domain.verifyingContract', 'A signature for another token is answered 401', (terms) => ({
    twist: { verifyingContract: lastByteFlipped(terms.asset.toLowerCase()) },
  })),
  invalid('signature.primary-type', 'A signature over another primary type is answered 401', () => ({
    twist: { primaryType: 'ReceiveWithAuthorization' },
  })),
  ...envelopeChecks(
    {
      envelope: 'error.401.envelope',
      type: 'error.401.type',
      code: 'error.401.code',
      contentType: 'error.401.content-type',
    },
    'the 401',
    invalidSignature,
    (context) =>
      andThen(context.once(tampered), (answered) =>
        answered.outcome.status === 401
          ? found(answered)
          : missing(`a tampered signature was answered ${describe(answered)}, not 401`),
      ),
  ),
];

/** The answer to a valid request with a payment by the throw-away key, which owns nothing. */
export function paidByThrowaway(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil = () => ({}),
): Promise<Found<Answered>> {
  return andThen(offer(context, endpoint), async (terms) => {
    const payment = await context.throwaway.pay(terms, context.nowSeconds(), spoil(terms));
    const headers = { [headerNames.payment]: payment.header };
    const request = validRequest(endpoint, bodyFor(endpoint, context.model), headers);
    return context.send({ ...request, isRepeatable: true });
  });
}

function invalid(requirement: JudgedId, title: string, spoil: Spoil) {
  return check(requirement, title, (context) =>
    given(paidByThrowaway(context, 'chat', spoil), (answered) => judgeInvalid(context, answered)),
  );
}

/** The forged payment names a payer who does own something, and who never signed it: this costs nobody anything. */
const forged = (context: Context) =>
  paidByThrowaway(context, 'chat', () => (context.budget ? { from: context.budget.payer } : {}));

/**
 * The throw-away key owns nothing, and the contract does not say which of two faults is named first. So a complaint
 * about its balance tells nothing by itself, but beside a 401 for another bad signature, or a payer with funds, it does.
 */
async function judgeTampered(context: Context, answered: Answered): Promise<Judgement> {
  if (!isAboutFunds(answered)) return hasStatus(answered, 401);
  const another = await context.once(byAnother);
  if (another.ok && another.value.outcome.status === 401) return takenForValid(answered);
  if (!context.budget) return unknown('the balance is looked at first, and the throw-away key owns nothing');
  return given(context.once(forged), (answer) =>
    isAboutFunds(answer) ? unknown('the balance of the funded key is too low') : hasStatus(answer, 401),
  );
}

/** A complaint about the balance, where another signature brought a 401, says that this one was taken for good. */
async function judgeInvalid(context: Context, answered: Answered): Promise<Judgement> {
  if (!isAboutFunds(answered)) return hasStatus(answered, 401);
  return given(context.once(tampered), (control) =>
    control.outcome.status === 401
      ? takenForValid(answered)
      : unknown('the balance is looked at first, and the throw-away key owns nothing'),
  );
}

function takenForValid(answered: Answered): Judgement {
  return broken('status 401', `${describe(answered)}: the signature was taken for valid`);
}

function isAboutFunds({ outcome }: Answered): boolean {
  return outcome.status === 402 && errorOf(outcome.body)?.['code'] === insufficientFunds;
}

/** One byte of the signature is another. */
export function tamper(): Spoiling {
  return {
    edit: ({ authorization, signature }: Signed) => {
      // The tenth byte is within `r`, so the signature still has the right form.
      const byte = Number.parseInt(signature.slice(20, 22), 16) ^ 0xff;
      const changed = signature.slice(0, 20) + byte.toString(16).padStart(2, '0') + signature.slice(22);
      return { authorization, signature: changed };
    },
  };
}

/** Another value of the same form, and the same other one each time. */
function lastByteFlipped(hex: string): string {
  const byte = Number.parseInt(hex.slice(-2), 16) ^ 0xff;
  return hex.slice(0, -2) + byte.toString(16).padStart(2, '0');
}

function randomHex(bytes: number): string {
  return `0x${randomBytes(bytes).toString('hex')}`;
}
