import { headerNames } from '@paid-inference/contract/constants';
import { type Check, check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { namingTerms } from '../../payment/own-terms.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { readOptionsOfVersion2 } from '../../sources/options-of-v2.ts';
import { paymentRequired } from '../../sources/sources.ts';
import { pricedOffer, type Spoil, tamper, throwawayPayment } from '../../sources/throwaway-source.ts';
import { type Found, found, given } from '../../types/found.ts';
import type { JsonObject } from '../../wire/base64-json.ts';
import type { Extra, Extras } from '../unpaid/additions.ts';
import { judgeExtras } from '../unpaid/instead-of-payment.ts';
import { signing } from './amounts.ts';

const words = `a payment in ${headerNames.paymentSignature} without funds or with another fault`;

/**
 * Checks that a signed payment in the header of x402 v2 buys nothing, if it has a fault (D-354). The contract does not
 * have the header, so any refusal is right.
 */
export const paymentSignatureChecks: readonly Check[] = paidEndpointNames.map((endpoint) =>
  check('payment.malformed', `A request with ${words} is not served (${endpoint})`, (context) =>
    given(listPayments(context, endpoint), (extras) => judgeExtras(context, endpoint, extras, words)),
  ),
);

/** Payments by the key without funds. The funded key signs none of them, so none of them can settle. */
function listFaults({ budget }: Context): Readonly<Record<string, Spoil>> {
  return {
    'a payment without funds': () => ({}),
    'a changed signature': tamper,
    'a payment of 0': () => signing({ value: '0' }),
    ...(budget && { 'a payment in the name of another payer': () => ({ from: budget.payer }) }),
  };
}

async function listPayments(context: Context, endpoint: PaidEndpoint): Promise<Found<Extras>> {
  // A payer without funds has enough for a price of zero.
  const priced = await pricedOffer(context, endpoint);
  if (!priced.ok) return priced;
  const asked = await paymentRequired(context, endpoint);
  if (!asked.ok) return asked;
  const options = readOptionsOfVersion2(asked.value);
  const payments: [string, Extra][] = [];
  for (const [name, spoil] of Object.entries(listFaults(context))) {
    for (const [form, way] of [
      ['as in the contract', spoil],
      ['as in x402 v2', inVersion2(spoil, options)],
    ] as const) {
      const payment = await throwawayPayment(context, endpoint, way);
      if (!payment.ok) return payment;
      const headers = { [headerNames.paymentSignature]: payment.value.content };
      payments.push([`${name}, ${form}`, { headers, isRandom: true }]);
    }
  }
  return found(Object.fromEntries(payments));
}

/** The payment with the accepted option beside it, and with times that are texts. */
function inVersion2(spoil: Spoil, options: readonly JsonObject[]): Spoil {
  return (offer) => {
    const option = options.find(({ asset }) => String(asset).toLowerCase() === offer.asset.toLowerCase());
    const spoiling = spoil(offer);
    return {
      ...spoiling,
      beside: namingTerms(offer, { ...option, amount: offer.maxAmountRequired.toString() }),
      edit: (signed) => {
        const { authorization, signature } = spoiling.edit?.(signed) ?? signed;
        const { validAfter, validBefore } = authorization;
        const times: object = { validAfter: `${validAfter}`, validBefore: `${validBefore}` };
        return { authorization: { ...authorization, ...times }, signature };
      },
    };
  };
}
