import { priceMaxUnits } from '../purchase.ts';
import type { Signed } from '../recording.ts';
import { paysOnce, refuses, staysHere } from '../rules.ts';
import { type Act, type Requirement, type Scenario, serve } from '../scenario.ts';

const otherAddress = '0x00000000000000000000000000000000000a11ce';
const pins = 'the limits that the command got';
const elsewhere = 'contract §2.8: `resource`; RFC 9110 §15.4';
const daySeconds = 86_400;
const yearsSeconds = 10 * 365 * daySeconds;
const raisedUnits = 10n * priceMaxUnits;

/** Takes the payment for a wrong offer like a thief: no settlement, and a completion as bait. */
const take: Act = { settles: false, ending: { kind: 'serve' } };
const offerAgain: Act = { settles: false, ending: { kind: 'offer' } };

type Lie = Pick<Scenario, 'id' | 'gateway'> & {
  readonly offer: NonNullable<Scenario['offer']>;
  readonly rule: Pick<Requirement, 'title' | 'source'> & Partial<Pick<Requirement, 'level'>>;
  readonly acts?: readonly Act[];
  /** The wrong payments, if the first offer is right. */
  readonly isWrong?: (signed: Signed) => boolean;
};

/** A gateway whose offer the client must not sign. */
function lie({ id, gateway, offer, rule, acts = [take], isWrong }: Lie): Scenario {
  const judge = refuses('no signature for the wrong offer', isWrong && { isWrong, isLate: true });
  return {
    id,
    gateway,
    offer,
    acts,
    requirements: [{ id: `refuses.${id}`, level: 'MUST', ...rule, judge }],
  };
}

export const offers: readonly Scenario[] = [
  lie({
    id: 'price-above-cap',
    gateway: 'asks for one unit more than the client may pay',
    offer: (honest) => ({ ...honest, maxAmountRequired: priceMaxUnits + 1n }),
    rule: { title: 'The client signs no price above its cap.', source: pins },
  }),
  lie({
    id: 'price-raised',
    gateway: 'refuses the first payment with an offer far above the cap',
    offer: (honest, accepted) => (accepted === 0 ? honest : { ...honest, maxAmountRequired: raisedUnits }),
    acts: [offerAgain, take],
    isWrong: ({ payment }) => payment.authorization.value > priceMaxUnits,
    rule: { title: 'The client signs no price above its cap in a second offer.', source: pins },
  }),
  lie({
    id: 'other-token',
    gateway: 'asks for a payment in another token',
    offer: (honest) => ({ ...honest, asset: otherAddress }),
    rule: {
      title: 'The client pays in no other token.',
      source: `${pins}; contract §1: "the payment token"`,
    },
  }),
  lie({
    id: 'other-chain',
    gateway: 'asks for a payment on another chain',
    offer: (honest) => ({ ...honest, network: 'eip155:8453' }),
    rule: { title: 'The client pays on no other chain.', source: 'contract §2.8: `network`' },
  }),
  lie({
    id: 'other-scheme',
    gateway: 'asks for another payment scheme',
    offer: (honest) => ({ ...honest, scheme: 'upto' }),
    rule: { title: 'The client pays with no other scheme.', source: 'contract §2.8: `scheme`' },
  }),
  lie({
    id: 'other-recipient',
    gateway: 'asks for a payment to another recipient',
    offer: (honest) => ({ ...honest, payTo: otherAddress }),
    rule: { title: 'The client pays no other recipient.', source: pins },
  }),
  lie({
    id: 'recipient-changed',
    gateway: 'refuses the first payment with an offer of another recipient',
    offer: (honest, accepted) => (accepted === 0 ? honest : { ...honest, payTo: otherAddress }),
    acts: [offerAgain, take],
    isWrong: ({ payment }) => payment.authorization.to === otherAddress,
    rule: { title: 'The client pays no other recipient in a second offer.', source: pins },
  }),
  lie({
    id: 'other-resource',
    gateway: 'makes an offer for the resource of another host',
    offer: (honest) => ({ ...honest, resource: 'https://other.invalid/v1/chat/completions' }),
    rule: {
      level: 'SHOULD',
      title: 'The client signs no offer for another resource than the one that it requests.',
      source: 'contract §2.8: "Full URL of the requested endpoint"',
    },
  }),
  {
    id: 'redirect',
    gateway: 'redirects the payment to another origin',
    acts: [{ settles: false, ending: { kind: 'redirect' } }, serve],
    requirements: [
      {
        id: 'refuses.redirect',
        level: 'SHOULD',
        title: 'The client sends its payment to no other origin.',
        source: elsewhere,
        judge: staysHere({ isLate: true }),
      },
      {
        id: 'once.redirect',
        level: 'MUST',
        title: 'The client pays once if its payment is redirected.',
        source: 'contract §4.4; EIP-3009: a nonce pays once',
        judge: paysOnce,
      },
    ],
  },
  {
    id: 'redirect-unpaid',
    gateway: 'redirects the request without a payment to another origin, which makes an offer of its own',
    redirectsUnpaid: true,
    requirements: [
      {
        id: 'refuses.redirect-unpaid',
        level: 'SHOULD',
        title: 'The client pays no other origin to which the gateway sends it before the payment.',
        source: elsewhere,
        judge: staysHere(),
      },
    ],
  },
  {
    id: 'long-offer',
    gateway: 'makes an offer that is valid for ten years',
    offer: (honest) => ({ ...honest, maxTimeoutSeconds: yearsSeconds }),
    requirements: [
      {
        id: 'window.long-offer',
        level: 'SHOULD',
        title: 'No authorization is valid for longer than a day, even if the offer is.',
        source: 'contract §4.4: "a validity window"; an unused authorization stays a risk until its end',
        judge: refuses('an end within a day', {
          isWrong: ({ payment, request }) =>
            Number(payment.authorization.validBefore) > request.atSeconds + daySeconds,
        }),
      },
    ],
  },
];
