import { headerNames } from '@paid-inference/contract/constants';
import type { Message, SettlementType } from '@paid-inference/contract/types';
import { acceptedLevels } from '../../conditions/levels.ts';
import {
  type Conditions,
  describeConditions,
  type Extra,
  extraMembers,
  plain,
  requestUnder,
  twoRounds,
} from '../../conditions/requests.ts';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import type { Terms } from '../../payment/terms.ts';
import { type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, judgeTransient } from '../../sources/judgements.ts';
import { type Paid, type PaymentAsk, payTogether, servedAt } from '../../sources/paid-source.ts';
import { offerIn } from '../../sources/sources.ts';
import { isAboutFunds, paidByThrowaway } from '../../sources/throwaway-source.ts';
import type { Found } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Typed } from '../bodies/valid-bodies.ts';
import { chatInChunks, otherClient } from '../unpaid/other-clients.ts';
import { isRefusedPlainly } from './conditions-terms.ts';

type Under = Pick<Conditions, 'connection'> & {
  /** Which listed model to use. If it is not sold or costs more than the cap, the first one. */
  readonly model: 'first' | 'second' | 'quarter' | 'middle' | 'last';
  readonly extra: Extra;
  /** Two rounds of tool calls come before the messages of the body. */
  readonly turn?: 'second-round';
  /** The payment has `validAfter` 0, if the target accepts long windows. */
  readonly isFromZero?: true;
  /** Header names, encodings and the charset of JSON as other HTTP clients send them. */
  readonly isOtherClient?: true;
  /** The request is sent in chunks, if the target accepts them (D-451). */
  readonly isInChunks?: true;
  /** Blanks behind the JSON of the payment. Each number gives another padding of the base64 (D-448). */
  readonly blanks?: number;
  /** The first message is longer than 2,000 bytes, if the target accepts it (D-460). */
  readonly hasLongText?: true;
};

/** Characters. A usual prompt is as long, and longer than a text column or a small buffer. */
const longTextCharacters = 3_000;

/**
 * The conditions of each payment with a settlement type, which saves payments. Each value occurs with both
 * endpoints.
 */
const conditions: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Under>>>> = {
  chat: {
    individual: { model: 'second', connection: 'own', extra: 'none', blanks: 1, isInChunks: true },
    private: { model: 'middle', connection: 'kept', extra: 'stream-false', hasLongText: true },
    batch: { model: 'first', connection: 'own', extra: 'user-and-metadata', turn: 'second-round' },
  },
  completions: {
    individual: { model: 'last', connection: 'own', extra: 'stream-false', blanks: 2 },
    private: {
      model: 'first',
      connection: 'own',
      extra: 'none',
      isOtherClient: true,
    },
    batch: { model: 'quarter', connection: 'kept', extra: 'none', isFromZero: true },
  },
};

/** The settlement type of each endpoint whose payments are sent at the same time. */
const typesTogether: Readonly<Record<PaidEndpoint, SettlementType>> = {
  chat: 'batch',
  completions: 'individual',
};

export type PaidConditions = {
  readonly model: string;
  readonly extra: object;
  /** Messages before those of a chat. */
  readonly before: readonly Message[];
  readonly headers: Readonly<Record<string, string>>;
  readonly hasSmallNames?: true;
  readonly lacks?: NonNullable<Ask['lacks']>;
  readonly isOnKeptConnection?: true;
  readonly terms?: Terms;
  readonly blanks?: number;
};

/**
 * The conditions of a payment, without those that the target does not accept or that cost more than the cap.
 */
export async function paidConditions(
  context: Context,
  endpoint: PaidEndpoint,
  type: SettlementType,
): Promise<PaidConditions> {
  const under = conditions[endpoint][type];
  const { model, connection, extra, turn, isFromZero, isOtherClient, isInChunks, blanks } = under;
  const { models, extras, turns } = await context.once(acceptedLevels);
  const isSoldAt = (each: string) => isPayable(context, requestUnder({ ...plain, endpoint, model: each }));
  const wanted = {
    first: context.model,
    second: models[1],
    quarter: models[Math.floor(models.length / 4)],
    middle: models[Math.floor(models.length / 2)],
    last: models.at(-1),
  }[model];
  return {
    model: wanted !== undefined && (await isSoldAt(wanted)) ? wanted : context.model,
    extra: extras.includes(extra) ? extraMembers[extra] : {},
    before: turn !== undefined && turns.includes(turn) ? twoRounds() : [],
    headers: {
      ...(isOtherClient && { ...otherClient.compressed, ...otherClient.charset }),
      ...(isInChunks && (await takesChunks(context)) && otherClient.chunks),
    },
    ...(isOtherClient && { ...otherClient.smallNames, ...otherClient.noAccept }),
    ...(connection === 'kept' && { isOnKeptConnection: true }),
    ...(blanks && { blanks }),
    ...(isFromZero && (await takesLongWindows(context, endpoint)) && { terms: 'from-0' }),
  };
}

async function takesChunks(context: Context): Promise<boolean> {
  const answered = await chatInChunks(context);
  return answered.ok && answered.value.outcome.status === 402;
}

/**
 * Whether the target accepts a window that began in 1970. It may limit the length of windows (§5), which a
 * payment without funds shows if the target checks terms before the balance.
 */
async function takesLongWindows(context: Context, endpoint: PaidEndpoint): Promise<boolean> {
  const refused = await isRefusedPlainly(context, 'expired');
  if (!refused.ok || !refused.value) return false;
  const long = await paidByThrowaway(context, endpoint, () => ({ terms: 'from-1' }));
  return long.ok && isAboutFunds(long.value);
}

/** A gateway with a limit on concurrent requests may return 429 (§8); the payment is then repeated alone. */
export function isBesideOthers(endpoint: PaidEndpoint, type: SettlementType): boolean {
  return typesTogether[endpoint] === type;
}

/** The body with a long first message, if the target makes an offer for it that is within the cap. */
export async function lengthened(
  context: Context,
  type: SettlementType,
  body: object,
  headers: Ask['headers'],
): Promise<object | undefined> {
  if (!('messages' in body) || !conditions.chat[type].hasLongText) return undefined;
  const [first, ...others] = body.messages as readonly Message[];
  const more = 'Say it again. '.repeat(longTextCharacters / 14);
  const long = { ...body, messages: [{ ...first, content: `${first?.content} ${more}` }, ...others] };
  return (await isPayable(context, validRequest('chat', long, headers))) ? long : undefined;
}

async function isPayable(context: Context, request: Ask): Promise<boolean> {
  const asked = await context.ask(request);
  const offer = asked.ok && asked.value.outcome.status === 402 ? offerIn(asked.value) : undefined;
  return offer?.ok === true && context.budget?.isWithinCap(offer.value.maxAmountRequired) === true;
}

/**
 * Pays for one request of each endpoint at the same time, beside an unpaid request and one of another payer.
 * `createAsk` returns the request for a settlement type.
 */
export async function payBoth(
  context: Context,
  createAsk: (context: Context, endpoint: PaidEndpoint, type: SettlementType) => Promise<PaymentAsk>,
): Promise<Readonly<Record<PaidEndpoint, Found<Paid>>>> {
  const both = { chat: await servedAt(context, 'chat'), completions: await servedAt(context, 'completions') };
  const asks: PaymentAsk[] = [];
  for (const endpoint of paidEndpointNames) {
    if (both[endpoint].ok) asks.push(await createAsk(context, endpoint, typesTogether[endpoint]));
  }
  // One of the paid requests without its payment, which a gateway may take for the same request.
  const [same] = asks.map(({ endpoint, body, headers }) => validRequest(endpoint, body, headers));
  const beside = same ? [same, ...(await paidByUnfunded(context, same))] : [];
  const paid = await payTogether(context, asks, beside);
  for (const [index, { endpoint }] of asks.entries()) both[endpoint] = paid[index] ?? both[endpoint];
  return both;
}

/**
 * The request with a payment by another payer, whom no receipt of this run may name (D-248). Marked as random,
 * so that no closing check judges its refusal: a later payment may use up its offer.
 */
async function paidByUnfunded(context: Context, same: Ask): Promise<readonly Ask[]> {
  const request: Ask = { ...same, isRandom: true };
  const asked = await context.send(request);
  const offer = asked.ok && asked.value.outcome.status === 402 ? offerIn(asked.value) : undefined;
  // At a price of zero, a payer without funds is served.
  if (!offer?.ok || offer.value.maxAmountRequired === 0n) return [];
  const content = await context.throwaway.pay(offer.value, context.nowSeconds());
  return [{ ...request, headers: { ...request.headers, [headerNames.payment]: content } }];
}

/** Checks that a payment is served under conditions that must not matter (§3), if it is served without them. */
export function paidConditionChecks(
  typed: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Typed>>>>,
) {
  return paidEndpointNames.flatMap((endpoint) =>
    (['private', 'individual', 'batch'] as const).map((type) =>
      check('conditions.paid', `A paid request gets 200: ${wordsFor(endpoint, type)}`, (context) =>
        judgeConditional(context, typed[endpoint][type], isBesideOthers(endpoint, type)),
      ),
    ),
  );
}

async function judgeConditional(
  context: Context,
  { conditional, unusual }: Typed,
  isBeside: boolean,
): Promise<Judgement> {
  const paid = await context.once(conditional);
  if (!paid.ok) return paid.verdict;
  const { answered } = paid.value;
  if (answered.outcome.status === 200) return holds();
  if (hasPriceRisen(paid.value)) return notApplicable('the price rose because of the concurrent requests');
  const passed = judgeTransient(answered);
  if (passed && !isBeside) return passed;
  const control = await context.once(unusual);
  if (!control.ok) return control.verdict;
  const alone = control.value.answered;
  if (alone.outcome.status !== 200) {
    return passed ?? notApplicable(`without these conditions the request got ${describe(alone)}`);
  }
  if (passed) return notApplicable(`with concurrent requests it got ${describe(answered)}`);
  return broken('status 200, like without these conditions', describe(answered));
}

/** If each offer asks for more than the one before, concurrent requests make the payment too low (§8). */
function hasPriceRisen({ answered, payment }: Paid): boolean {
  const offer = answered.outcome.status === 402 ? offerIn(answered) : undefined;
  return offer?.ok === true && offer.value.maxAmountRequired > BigInt(payment.authorization.value);
}

function wordsFor(endpoint: PaidEndpoint, type: SettlementType): string {
  const under = conditions[endpoint][type];
  const { model, connection, extra, turn, isFromZero, isOtherClient, isInChunks, blanks, hasLongText } =
    under;
  const company = isBesideOthers(endpoint, type) ? 'together' : 'alone';
  const words = describeConditions({
    endpoint,
    type,
    model: model === 'quarter' ? 'a quarter into the list' : `${model} in the list`,
    connection,
    company,
    extra,
    ...(turn && { turn }),
  });
  if (isFromZero) return `${words}, \`validAfter\` 0`;
  if (hasLongText) return `${words}, a text of ${longTextCharacters} characters`;
  if (blanks) return `${words}, another padding of the payment's base64${isInChunks ? ', in chunks' : ''}`;
  return isOtherClient
    ? `${words}, header names in lower case, compressed response accepted, charset of the JSON named, no Accept header`
    : words;
}
