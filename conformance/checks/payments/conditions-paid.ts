import type { SettlementType } from '@paid-inference/contract/types';
import { acceptedLevels } from '../../conditions/levels.ts';
import { type Conditions, extraMembers, plain, requestUnder, wordsOf } from '../../conditions/requests.ts';
import { check } from '../../context/check.ts';
import type { Ask, Context } from '../../context/context.ts';
import { bodyFor, type PaidEndpoint, paidEndpointNames, validRequest } from '../../sources/bodies.ts';
import { describe, passing } from '../../sources/judgements.ts';
import type { Paid } from '../../sources/paid-source.ts';
import { offerIn } from '../../sources/sources.ts';
import { given } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Typed } from '../bodies/valid-bodies.ts';
import { otherClient } from '../unpaid/other-clients.ts';

type Under = Pick<Conditions, 'connection' | 'company'> & {
  /** Which of the models that are listed; where it is not sold or dearer than the cap, the first. */
  readonly model: 'first' | 'second' | 'last';
  readonly withStream: boolean;
  /** Sent as clients of other makers do. */
  readonly isOtherClient?: true;
};

/** What each payment with a settlement type is sent under: nothing more is paid for it. Each value comes with both endpoints. */
const conditions: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Under>>>> = {
  chat: {
    individual: { model: 'second', connection: 'own', company: 'alone', withStream: false },
    private: { model: 'last', connection: 'kept', company: 'alone', withStream: true },
    batch: { model: 'first', connection: 'own', company: 'together', withStream: true },
  },
  completions: {
    individual: { model: 'last', connection: 'own', company: 'together', withStream: true },
    private: {
      model: 'first',
      connection: 'own',
      company: 'alone',
      withStream: false,
      isOtherClient: true,
    },
    batch: { model: 'second', connection: 'kept', company: 'alone', withStream: false },
  },
};

/** Requests beside one that is paid. */
const besideCount = 3;

export type PaidConditions = {
  readonly model: string;
  readonly extra: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly hasSmallNames?: true;
  readonly isOnKeptConnection?: true;
  readonly beside: readonly Ask[];
};

/** The conditions of a payment, those left out that the target does not take, or that would cost more than the cap. */
export async function paidConditions(
  context: Context,
  endpoint: PaidEndpoint,
  type: SettlementType,
): Promise<PaidConditions> {
  const { model, connection, company, withStream, isOtherClient } = conditions[endpoint][type];
  const { models, extras } = await context.once(acceptedLevels);
  const wanted = { first: context.model, second: models[1], last: models.at(-1) }[model];
  return {
    model: wanted !== undefined && (await isPayable(context, endpoint, wanted)) ? wanted : context.model,
    extra: withStream && extras.includes('stream-false') ? extraMembers['stream-false'] : {},
    headers: isOtherClient ? otherClient.compressed : {},
    ...(isOtherClient && otherClient.smallNames),
    ...(connection === 'kept' && { isOnKeptConnection: true }),
    beside: company === 'together' ? Array.from({ length: besideCount }, () => plainRequest(context)) : [],
  };
}

/** A gateway that takes only some requests at a time may answer such a payment 429 (contract 8), and serves it alone. */
export function isBesideOthers(endpoint: PaidEndpoint, type: SettlementType): boolean {
  return conditions[endpoint][type].company === 'together';
}

async function isPayable(context: Context, endpoint: PaidEndpoint, model: string): Promise<boolean> {
  const asked = await context.ask(requestUnder({ ...plain, endpoint, model }));
  const offer = asked.ok && asked.value.outcome.status === 402 ? offerIn(asked.value) : undefined;
  return offer?.ok === true && context.budget?.isWithinCap(offer.value.maxAmountRequired) === true;
}

function plainRequest(context: Context): Ask {
  return validRequest('chat', bodyFor('chat', context.model));
}

/** A payment under conditions that must not matter is served (contract 3), if it is served without them. */
export function paidConditionChecks(
  typed: Readonly<Record<PaidEndpoint, Readonly<Record<SettlementType, Typed>>>>,
) {
  return paidEndpointNames.flatMap((endpoint) =>
    (['private', 'individual', 'batch'] as const).map((type) =>
      check('conditions.paid', `A paid request is answered 200: ${wordsFor(endpoint, type)}`, (context) =>
        given(context.once(typed[endpoint][type].conditional), (paid): Judgement | Promise<Judgement> => {
          const { answered } = paid;
          if (answered.outcome.status === 200) return holds();
          if (hasPriceRisen(paid)) return notApplicable('the price rose beside the other requests');
          const passed = passing(answered);
          if (passed && !isBesideOthers(endpoint, type)) return passed;
          return given(context.once(typed[endpoint][type].unusual), ({ answered: alone }) => {
            if (alone.outcome.status !== 200) {
              return passed ?? notApplicable(`without these conditions it was answered ${describe(alone)}`);
            }
            return passed
              ? notApplicable(`beside other requests it was answered ${describe(answered)}`)
              : broken('status 200, as without these conditions', describe(answered));
          });
        }),
      ),
    ),
  );
}

/** Where each offer asks for more than the one before, requests that come beside a payment make it too low (contract 8). */
function hasPriceRisen({ answered, payment }: Paid): boolean {
  const offer = answered.outcome.status === 402 ? offerIn(answered) : undefined;
  return offer?.ok === true && offer.value.maxAmountRequired > BigInt(payment.authorization.value);
}

function wordsFor(endpoint: PaidEndpoint, type: SettlementType): string {
  const { model, connection, company, withStream, isOtherClient } = conditions[endpoint][type];
  const extra = withStream ? 'stream-false' : 'none';
  const words = wordsOf({ endpoint, type, model: `${model} of those listed`, connection, company, extra });
  return isOtherClient ? `${words}, with header names in small letters, taking a compressed answer` : words;
}
