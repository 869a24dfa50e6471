import { check, closingCheck } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { describe, hasStatus, isRefused } from '../../sources/judgements.ts';
import { served as onlyServed, paidChat, servedAt } from '../../sources/paid-source.ts';
import {
  freshOffer,
  isAboutFunds,
  paidByThrowaway,
  reusingFreshOffer,
  type Spoil,
} from '../../sources/throwaway-source.ts';
import {
  faultsOfPayments,
  isReported,
  listResponses,
  readPayment,
} from '../../sources/transcript-queries.ts';
import { type Found, given } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import type { Answered, Exchange } from '../../wire/exchange.ts';
import { servedResponses } from '../responses/served.ts';
import { malformedSignatures, unsigned } from './signature-faults.ts';

/** Checks that a payer who was served before still has to sign each payment (§3, §5). */
export const knownPayerChecks = [
  ...createChecks('after a served payment of that payer'),
  check(
    'signature.known-payer',
    'No payment of a served payer is served with a missing or malformed signature (chat)',
    (context) =>
      given(servedAt(context, 'chat'), ({ payment }) => judgeUnread(context, payment.authorization)),
  ),
];

/** The same after all payments, because a gateway may trust a payer only after several served payments. */
export const wellKnownPayerChecks = createChecks('after all served payments of that payer');

/** The reason why such a refusal decides nothing by itself. */
export const refusedForBalance =
  'the deployment says that the balance is too low, for a payment that the funded key did not sign. The balance is too low, or the deployment read that of another account';

/**
 * Checks that no payment in the name of the payer was refused for a balance that certainly sufficed. Such a
 * gateway takes the account that signed a payment for its payer, so it never refuses a signature (D-212).
 */
export const namedPayerChecks = [
  closingCheck(
    'signature.known-payer',
    'No payment signed by another key gets a balance error although the balance suffices',
    (context) => given(onlyServed(paidChat(context)), () => judgeNamedPayer(context)),
  ),
];

async function judgeNamedPayer(context: Context): Promise<Judgement> {
  const faults = await context.once(faultsOfPayments);
  const isForged = ({ number }: Exchange) => faults.get(number) === 'signature';
  const named = listResponses(context).filter((past) => isInNameOf(context.budget?.payer, past));
  const signed = named.filter((past) => !isForged(past));
  const served = servedResponses(context).filter((past) => !isForged(past));
  const refused = named.filter((past) => isForged(past) && isAboutFunds(past));
  for (const past of refused) {
    const isFirst = !served.some(({ number }) => number < past.number);
    // A gateway may reserve an earlier payment in addition to its transfer, until it settles.
    const neededUnits = sumValues([past, ...signed.filter(({ number }) => number < past.number)]);
    const laterUnits = sumValues(served.filter(({ number }) => number > past.number));
    if (isFirst || laterUnits < neededUnits) continue;
    context.cite([past]);
    const actual = `${describe(past)} (request ${past.number}), but later payments show that the balance sufficed`;
    return broken('status 401', actual);
  }
  return refused.length > 0 ? unknown(refusedForBalance) : holds();
}

function isInNameOf(payer: string | undefined, exchange: Exchange): boolean {
  const from = readPayment(exchange)?.authorization.from;
  return from !== undefined && from.toLowerCase() === payer?.toLowerCase();
}

function sumValues(exchanges: readonly Exchange[]): bigint {
  return exchanges.reduce((sum, each) => sum + BigInt(readPayment(each)?.authorization.value ?? 0), 0n);
}

function createChecks(who: string) {
  return paidEndpointNames.map((endpoint) =>
    check(
      'signature.known-payer',
      `A signature by another key than that of \`from\`, ${who}, gets 401 (${endpoint})`,
      async (context) => {
        const answered = await inTheNameOfServed(context, endpoint);
        if (!answered.ok) return answered.verdict;
        if (!isAboutFunds(answered.value)) return hasStatus(answered.value, 401);
        return unknown(refusedForBalance);
      },
    ),
  );
}

/**
 * Sends payments in the name of a payer with funds, with signatures that a gateway may fail to read. A gateway that goes
 * on after such a failure refuses a payer without funds for the balance. The signatures are by the throw-away key.
 */
async function judgeUnread(context: Context, { from }: { readonly from: string }): Promise<Judgement> {
  // Leaves out forms that payments without funds already showed as accepted.
  const forms = [
    ...(isReported(context, 'signature.missing') ? [] : Object.entries(unsigned)),
    ...(isReported(context, 'signature.malformed') ? [] : Object.entries(malformedSignatures)),
  ];
  const offerFor = reusingFreshOffer();
  for (const [words, spoil] of forms) {
    const inHisName: Spoil = (offered) => ({ ...spoil(offered), from });
    const answered = await paidByThrowaway(context, 'chat', inHisName, offerFor);
    if (!answered.ok) return answered.verdict;
    const verdict = isRefused(answered.value);
    if (verdict.kind === 'broken') return broken(verdict.expected, `${verdict.actual} for: ${words}`);
    if (verdict.kind !== 'holds') return verdict;
    if (isAboutFunds(answered.value)) return unknown(refusedForBalance);
  }
  return holds(`${forms.length} signatures`);
}

/**
 * Sends a payment in the name of a payer who was served, signed by the throw-away key, so that only the
 * signature is wrong. It costs nothing, because the token rejects the signature. The offer is new, because the
 * earlier one may be used up.
 */
async function inTheNameOfServed(context: Context, endpoint: PaidEndpoint): Promise<Found<Answered>> {
  const paid = await servedAt(context, endpoint);
  if (!paid.ok) return paid;
  const { from } = paid.value.payment.authorization;
  return paidByThrowaway(context, endpoint, () => ({ from }), freshOffer);
}
