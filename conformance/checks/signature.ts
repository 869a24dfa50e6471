import type { InvalidSignatureBody } from '@paid-inference/contract/types';
import { check } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, missing } from '../engine/found.ts';
import { broken, type Judgement, unknown } from '../engine/verdict.ts';
import type { Answered } from '../wire/session.ts';
import type { PaidEndpoint } from './bodies.ts';
import { envelopeChecks } from './envelope.ts';
import { describe, hasStatus, isRefused } from './judgements.ts';
import { byAnother, signatureFaults, unsigned } from './signature-faults.ts';
import {
  isAboutFunds,
  looksAtPayments,
  paidByThrowaway,
  takesSignatures,
  tamper,
  tampered,
} from './throwaway-source.ts';

// The compiler holds these to the contract's types.
export const invalidSignature = {
  type: 'authentication_error',
  code: 'invalid_signature',
} as const satisfies Pick<InvalidSignatureBody['error'], 'type' | 'code'>;

const chatByAnother = (context: Context) => paidByThrowaway(context, 'chat', byAnother.spoil);

/** Signatures that are invalid, each for one reason (contract 3, 4.4, 5). */
export const signatureChecks = [
  check('signature.tampered', 'A signature with one byte changed is answered 401', (context) =>
    given(tampered(context), (answered) => judgeTampered(context, answered)),
  ),
  check('signature.tampered.completions', 'The same for text completions', (context) =>
    given(paidByThrowaway(context, 'completions', tamper), (answered) =>
      judgeInvalid(context, 'completions', answered, 'a forged one'),
    ),
  ),
  ...signatureFaults.map((fault) =>
    check(fault.requirement, `${fault.words} is answered 401`, (context) =>
      given(
        fault === byAnother ? context.once(chatByAnother) : paidByThrowaway(context, 'chat', fault.spoil),
        (answered) =>
          judgeInvalid(context, 'chat', answered, fault === byAnother ? 'a forged one' : 'itself'),
      ),
    ),
  ),
  ...signatureFaults.map((fault) =>
    check('signature.completions', `${fault.words} is answered 401 (completions)`, (context) =>
      given(paidByThrowaway(context, 'completions', fault.spoil), (answered) =>
        judgeInvalid(context, 'completions', answered, fault === byAnother ? 'a forged one' : 'itself'),
      ),
    ),
  ),
  ...(['chat', 'completions'] as const).flatMap((endpoint) =>
    Object.entries(unsigned).map(([words, spoil]) =>
      check('signature.missing', `${words} is refused (${endpoint})`, (context) =>
        given(paidByThrowaway(context, endpoint, spoil), (answered) => judgeUnsigned(context, answered)),
      ),
    ),
  ),
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
      andThen(
        andThen(tampered(context), (answered) =>
          isAboutFunds(answered) && context.budget ? context.once(forged.chat) : found(answered),
        ),
        (answered) =>
          answered.outcome.status === 401
            ? found(answered)
            : missing(`a tampered signature was answered ${describe(answered)}, not 401`),
      ),
  ),
];

/** The forged payment names a payer who does own something, and who never signed it: this costs nobody anything. */
const forged = {
  chat: (context: Context) => forge(context, 'chat'),
  completions: (context: Context) => forge(context, 'completions'),
} as const;

function forge(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return paidByThrowaway(context, endpoint, () => (context.budget ? { from: context.budget.payer } : {}));
}

/**
 * The throw-away key owns nothing, and the contract does not say which of two faults is named first. So a complaint
 * about its balance tells nothing by itself, but beside a 401 for another bad signature, or a payer with funds, it does.
 */
async function judgeTampered(context: Context, answered: Answered): Promise<Judgement> {
  if (!isAboutFunds(answered)) return judgeStatus(context, 'chat', answered);
  const another = await context.once(chatByAnother);
  if (another.ok && another.value.outcome.status === 401) return takenForValid('status 401', answered);
  return judgeForged(context, 'chat');
}

/**
 * A complaint about the balance, where another signature brought a 401, says that this one was taken for good. Where the
 * balance is looked at first, a forged payment of a payer with funds may show as much as the signature itself.
 */
async function judgeInvalid(
  context: Context,
  endpoint: PaidEndpoint,
  answered: Answered,
  shownBy: 'itself' | 'a forged one',
): Promise<Judgement> {
  if (!isAboutFunds(answered)) return judgeStatus(context, endpoint, answered);
  return given(tampered(context), (control) => {
    if (control.outcome.status === 401) return takenForValid('status 401', answered);
    return shownBy === 'itself' ? balanceFirst() : judgeForged(context, endpoint);
  });
}

async function judgeForged(context: Context, endpoint: PaidEndpoint): Promise<Judgement> {
  if (!context.budget) return balanceFirst();
  return given(context.once(forged[endpoint]), (answered) =>
    isAboutFunds(answered) ? unknown('the balance of the funded key is too low') : hasStatus(answered, 401),
  );
}

/** A signature that is not there can be an invalid one, or make the payment none (contract 2.10, 7). */
async function judgeUnsigned(context: Context, answered: Answered): Promise<Judgement> {
  const verdict = isRefused(answered);
  if (verdict.kind !== 'holds') return verdict;
  if (!isAboutFunds(answered)) return given(looksAtPayments(context), () => verdict);
  return given(tampered(context), (control) =>
    control.outcome.status === 401 ? takenForValid('a refusal of the payment', answered) : balanceFirst(),
  );
}

/** A 401 is about the signature where one that is good brings another status. */
async function judgeStatus(context: Context, endpoint: PaidEndpoint, answered: Answered): Promise<Judgement> {
  const verdict = hasStatus(answered, 401);
  return verdict.kind === 'holds' ? given(takesSignatures(context, endpoint), () => verdict) : verdict;
}

function takenForValid(expected: string, answered: Answered): Judgement {
  return broken(expected, `${describe(answered)}: the signature was taken for valid`);
}

function balanceFirst(): Judgement {
  return unknown('the balance is looked at first, and the throw-away key owns nothing');
}
