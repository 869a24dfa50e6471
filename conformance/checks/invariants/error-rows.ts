import { mimeType } from '@paid-inference/contract/constants';
import { type Check, closingCheck, type JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { isNoPaymentAccepted } from '../../sources/accepted-payments.ts';
import { readError, readMediaType, written } from '../../sources/judgements.ts';
import { unpaid } from '../../sources/sources.ts';
import { isBarePaymentRequired } from '../../sources/throwaway-source.ts';
import {
  faultsOfPayments,
  listRandomResponses,
  listResponses,
  type Past,
  readPaymentHeader,
} from '../../sources/transcript-queries.ts';
import { broken, holds, notApplicable } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { hasEnvelope, isDeclaredAsJson } from '../errors/envelope.ts';
import { invalidRequestError } from '../errors/errors.ts';
import { insufficientFunds } from '../payments/funds.ts';
import { invalidSignature } from '../signatures/signature.ts';

type Responses = (context: Context) => Promise<readonly Past[]>;

/** A row of the error table (§7). */
type Row = {
  /** Name of its responses. */
  readonly name: string;
  /** The condition of the row. */
  readonly condition: string;
  readonly error: { readonly type: string; readonly code: string };
  /** All responses that must have the body of the row. */
  readonly bodies: Responses;
  /** The status of the row, if random bodies get it too. Only their error body is judged (D-422). */
  readonly randomStatus?: 400 | 401;
  /** Responses to the condition of the row and to no other fault. */
  readonly responses: Responses;
  /** Responses whose `error.type` is known, by condition or by `error.code`. */
  readonly typed: Responses;
};

/**
 * Without payments: an invalid body never matches an offer, so a paid request with such a body has two faults.
 */
const toInvalidBodies: Responses = async (context) =>
  listResponses(context, 400).filter(
    (past) => past.request.isProvenInvalid && readPaymentHeader(past) === undefined,
  );

const toInvalidSignatures: Responses = async (context) => {
  const faults = await context.once(faultsOfPayments);
  return listResponses(context, 401).filter(({ number }) => faults.get(number) === 'signature');
};

const toPoorPayers: Responses = async (context) => {
  const faults = await context.once(faultsOfPayments);
  const poor = listResponses(context, 402).filter(({ number }) => faults.get(number) === 'funds');
  return isNoPaymentAccepted(context) ? poor.filter((past) => !isBarePaymentRequired(past)) : poor;
};

/**
 * The contract does not define the body of the other 402. A 402 for missing funds is recognized by its payer or
 * its code.
 */
const aboutFunds: Responses = async (context) => {
  const poor = new Set((await toPoorPayers(context)).map(({ number }) => number));
  return listResponses(context, 402).filter(
    (past) =>
      poor.has(past.number) ||
      (readPaymentHeader(past) !== undefined && readCode(past) === insufficientFunds.code),
  );
};

const bodyInvalid: Row = {
  name: '400',
  condition: 'an invalid body',
  error: invalidRequestError,
  bodies: async (context) => listResponses(context, 400),
  randomStatus: 400,
  responses: toInvalidBodies,
  typed: toInvalidBodies,
};
const signatureInvalid: Row = {
  name: '401',
  condition: 'an invalid signature',
  error: invalidSignature,
  bodies: async (context) => listResponses(context, 401),
  randomStatus: 401,
  responses: toInvalidSignatures,
  typed: toInvalidSignatures,
};
const balanceTooLow: Row = {
  name: '402 for missing funds',
  condition: 'a payer without funds',
  error: insufficientFunds,
  bodies: aboutFunds,
  responses: toPoorPayers,
  typed: aboutFunds,
};

/**
 * Checks the rows of the error table in all responses. Body and media type depend on the status. Type and code
 * depend on one condition, so they are judged only where that condition is the only fault (D-125).
 */
export const errorRowChecks = [
  envelope('error.400.envelope', bodyInvalid),
  type('error.400.type', bodyInvalid),
  code('error.400.code', bodyInvalid),
  contentType('error.400.content-type', bodyInvalid),
  envelope('error.401.envelope', signatureInvalid),
  type('error.401.type', signatureInvalid),
  code('error.401.code', signatureInvalid),
  contentType('error.401.content-type', signatureInvalid),
  envelope('error.402.envelope', balanceTooLow),
  type('error.402.type', balanceTooLow),
  code('error.402.code', balanceTooLow),
  contentType('error.402.content-type', balanceTooLow),
];

function envelope(requirement: JudgedId, { name, bodies, randomStatus }: Row): Check {
  return ofEvery(requirement, `\`error\` of every ${name} has message, type and code`, {
    responses: async (context) => [
      ...(await bodies(context)),
      ...(randomStatus === undefined
        ? []
        : listRandomResponses(context, randomStatus).filter(({ request }) => request.isProvenInvalid)),
    ],
    isRight: hasEnvelope,
    expected: 'error.message, error.type and error.code, all strings',
    actual: ({ outcome }) => written(outcome.body),
  });
}

function type(requirement: JudgedId, { name, condition, error, typed }: Row): Check {
  return ofEvery(requirement, `\`error.type\` of every ${name} for ${condition} is \`${error.type}\``, {
    responses: typed,
    isRight: (past) => readError(past.outcome.body)?.['type'] === error.type,
    expected: written(error.type),
    actual: (past) => written(readError(past.outcome.body)?.['type']),
  });
}

function code(requirement: JudgedId, { name, condition, error, responses }: Row): Check {
  return ofEvery(requirement, `\`error.code\` of every ${name} for ${condition} is \`${error.code}\``, {
    responses,
    isRight: (past) => readCode(past) === error.code,
    expected: written(error.code),
    actual: (past) => written(readCode(past)),
  });
}

function contentType(requirement: JudgedId, { name, bodies }: Row): Check {
  return ofEvery(requirement, `The Content-Type of every ${name} is JSON`, {
    responses: bodies,
    isRight: isDeclaredAsJson,
    expected: written(mimeType),
    actual: (past) => written(readMediaType(past)),
  });
}

type Part = {
  readonly responses: (context: Context) => Promise<readonly Answered[]>;
  readonly isRight: (past: Answered) => boolean;
  readonly expected: string;
  readonly actual: (past: Answered) => string;
};

function ofEvery(
  requirement: JudgedId,
  title: string,
  { responses, isRight, expected, actual }: Part,
): Check {
  return closingCheck(requirement, title, async (context) => {
    // Usually asked before, unless a filter selects only this check.
    const asked = await unpaid(context, 'chat');
    const all = await responses(context);
    if (all.length === 0) return asked.ok ? notApplicable('no request got such a response') : asked.verdict;
    const wrong = all.filter((past) => !isRight(past));
    context.cite(wrong);
    const [first] = wrong;
    return first ? broken(expected, `${actual(first)} (request ${first.number})`) : holds();
  });
}

function readCode({ outcome }: Answered): unknown {
  return readError(outcome.body)?.['code'];
}
