import type { InvalidSignatureBody } from '@paid-inference/contract/types';
import { check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { describe, hasStatus, isRefused } from '../../sources/judgements.ts';
import {
  isAboutFunds,
  isBarePaymentRequired,
  paidByThrowaway,
  readsPayments,
  type Spoil,
  takesSignatures,
  tamper,
  tampered,
} from '../../sources/throwaway-source.ts';
import { type Found, given, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { envelopeChecks } from '../errors/envelope.ts';
import { refusedForBalance } from './known-payer.ts';
import { aboutSignature, orderOfSignature } from './order-of-signature.ts';
import type { SignatureFault } from './signature-fault.ts';
import {
  byAnother,
  malformedSignatures,
  nearSigners,
  signatureFaults,
  unsigned,
} from './signature-faults.ts';

// The compiler compares this constant with the contract's types.
export const invalidSignature = {
  type: 'authentication_error',
  code: 'invalid_signature',
} as const satisfies Pick<InvalidSignatureBody['error'], 'type' | 'code'>;

const asTampered = { spoil: tamper } as const;
/** Faults that a forged payment of a funded payer also has. */
const shownByForged: ReadonlySet<unknown> = new Set([asTampered, byAnother]);

/** Checks of invalid signatures, each with one fault (§3, §4.4, §5). */
export const signatureChecks = [
  check('signature.tampered', 'A signature with one changed byte gets 401', (context) =>
    given(tampered(context), (answered) => judgeInvalid(context, 'chat', asTampered, answered)),
  ),
  check(
    'signature.tampered.completions',
    'A signature with one changed byte gets 401 (completions)',
    (context) =>
      given(paidByThrowaway(context, 'completions', tamper), (answered) =>
        judgeInvalid(context, 'completions', asTampered, answered),
      ),
  ),
  ...signatureFaults.map((fault) =>
    check(fault.requirement, `${fault.words} gets 401`, (context) =>
      given(paidByThrowaway(context, 'chat', fault.spoil), (answered) =>
        judgeInvalid(context, 'chat', fault, answered),
      ),
    ),
  ),
  ...signatureFaults.map((fault) =>
    check('signature.completions', `${fault.words} gets 401 (completions)`, (context) =>
      given(paidByThrowaway(context, 'completions', fault.spoil), (answered) =>
        judgeInvalid(context, 'completions', fault, answered),
      ),
    ),
  ),
  ...(['chat', 'completions'] as const).flatMap((endpoint) =>
    Object.entries(unsigned).map(([words, spoil]) =>
      check('signature.missing', `${words} is refused (${endpoint})`, (context) =>
        given(paidByThrowaway(context, endpoint, spoil), (answered) =>
          judgeUnsigned(context, endpoint, spoil, answered),
        ),
      ),
    ),
  ),
  ...Object.entries(malformedSignatures).map(([words, spoil]) =>
    check('signature.malformed', `${words} is refused`, (context) =>
      given(paidByThrowaway(context, 'chat', spoil), (answered) =>
        judgeUnsigned(context, 'chat', spoil, answered),
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
    refusedForSignature,
  ),
];

/** The 401 for a signature with one changed byte. If the balance is checked first, that for a forged payment. */
async function refusedForSignature(context: Context): Promise<Found<Answered>> {
  const answered = await tampered(context);
  if (!answered.ok) return answered;
  const isForged = isAboutFunds(answered.value) && context.budget !== undefined;
  const shown = isForged
    ? await context.once(forged.chat)
    : await aboutSignature(context, 'chat', tamper, answered.value);
  if (!shown.ok || shown.value.outcome.status === 401) return shown;
  return missing(`a signature with one changed byte got ${describe(shown.value)}, not 401`);
}

/** A forged payment names the funded payer, who did not sign it, so it costs nothing. */
const forged = {
  chat: (context: Context) => forge(context, 'chat'),
  completions: (context: Context) => forge(context, 'completions'),
} as const;

function forge(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  return paidByThrowaway(context, endpoint, () => (context.budget ? { from: context.budget.payer } : {}));
}

/**
 * Judges an invalid signature by the key without funds, which has two faults. If the gateway checks signatures
 * first, a refusal for the balance shows that it took the signature for valid. If it checks the balance first,
 * a forged payment of the funded payer is judged instead. If the order changes, payments are repeated until one
 * response does not name the balance.
 */
export async function judgeInvalid(
  context: Context,
  endpoint: PaidEndpoint,
  fault: Pick<SignatureFault, 'spoil' | 'hasMore'>,
  answered: Answered,
): Promise<Judgement> {
  const shown = await aboutSignature(context, endpoint, fault.spoil, answered);
  if (!shown.ok) return shown.verdict;
  if (fault.hasMore && (shown.value.outcome.status === 400 || isBarePaymentRequired(shown.value))) {
    const reads = await readsPayments(context);
    return reads.ok ? holds(`refused: ${describe(shown.value)}`) : reads.verdict;
  }
  if (!isAboutFunds(shown.value)) return judgeStatus(context, endpoint, shown.value);
  const order = await orderOfSignature(context, endpoint);
  if (!order.ok) return order.verdict;
  if (order.value === 'own') return acceptedAsValid('status 401', shown.value);
  // A payment of another signer is judged already, and one of a similar address cannot be.
  if (nearSigners.some((near) => near === fault)) return notApplicable(balanceIsFirst);
  return judgeForged(context, endpoint, shownByForged.has(fault));
}

/**
 * Judges a forged payment of the funded payer, if no payment without funds is refused for its signature. The
 * forged payment must get 401. Its refusal proves nothing about other faults.
 */
async function judgeForged(
  context: Context,
  endpoint: PaidEndpoint,
  isShownByForged: boolean,
): Promise<Judgement> {
  if (!context.budget) return balanceFirst();
  const answered = await context.once(forged[endpoint]);
  if (!answered.ok) return answered.verdict;
  if (isAboutFunds(answered.value)) return unknown(refusedForBalance);
  const verdict = hasStatus(answered.value, 401);
  return verdict.kind === 'holds' && !isShownByForged ? balanceFirst() : verdict;
}

/** Judges a missing or malformed signature, which may count as invalid or as no payment at all (§2.10, §7). */
async function judgeUnsigned(
  context: Context,
  endpoint: PaidEndpoint,
  spoil: Spoil,
  answered: Answered,
): Promise<Judgement> {
  const shown = await aboutSignature(context, endpoint, spoil, answered);
  if (!shown.ok) return shown.verdict;
  const verdict = isRefused(shown.value);
  if (verdict.kind !== 'holds') return verdict;
  if (!isAboutFunds(shown.value)) {
    const reads = await readsPayments(context);
    return reads.ok ? verdict : reads.verdict;
  }
  const order = await orderOfSignature(context, endpoint);
  if (!order.ok) return order.verdict;
  if (order.value === 'own') return acceptedAsValid('a refusal of the payment', shown.value);
  return judgeForged(context, endpoint, false);
}

/** A 401 is about the signature if a correct signature gets another status. */
async function judgeStatus(context: Context, endpoint: PaidEndpoint, answered: Answered): Promise<Judgement> {
  const verdict = hasStatus(answered, 401);
  if (verdict.kind !== 'holds') return verdict;
  const takes = await takesSignatures(context, endpoint);
  return takes.ok ? verdict : takes.verdict;
}

function acceptedAsValid(expected: string, answered: Answered): Judgement {
  return broken(expected, `${describe(answered)}, so the deployment took the signature for valid`);
}

function balanceFirst(): Judgement {
  return unknown(balanceIsFirst);
}

const balanceIsFirst = 'the deployment checks the balance first, and the throw-away key has no funds';
