import type { Offer } from '../../payment/offer.ts';
import type { Breakage } from '../scenario.ts';

/** A response without a completion, as the buyer sees it. */
export type Failure =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly offer: Offer | undefined;
      /** The URL of the response, after redirects. */
      readonly url: string;
    }
  /** The connection broke, or the buyer's own timeout ended the request. */
  | { readonly kind: 'broken'; readonly isTimeout: boolean }
  | { readonly kind: 'broken-stream'; readonly breakage: Breakage; readonly streamId: unknown };

/** The reaction to a failure: send the same payment again, sign another one, or end. */
type Reaction = 'again' | 'sign' | 'end';

export type Rules = {
  readonly priceMax: bigint;
  readonly token: string;
  readonly payTo: string;
  readonly network: string;
  readonly resource: string;
};

/** One reason not to sign an offer. */
export const refusals = {
  price: ({ maxAmountRequired }, { priceMax }) => maxAmountRequired > priceMax,
  /** No lawful reason. */
  priceAtCap: ({ maxAmountRequired }, { priceMax }) => maxAmountRequired === priceMax,
  token: ({ asset }, { token }) => asset.toLowerCase() !== token.toLowerCase(),
  recipient: ({ payTo }, rules) => payTo.toLowerCase() !== rules.payTo.toLowerCase(),
  network: ({ network }, rules) => network !== rules.network,
  scheme: ({ scheme }) => scheme !== 'exact',
  resource: ({ resource }, rules) => resource !== rules.resource,
} satisfies Record<string, (offer: Offer, rules: Rules) => boolean>;

/** The parts of an authorization that a buyer chooses. */
export type Draft = {
  readonly value: bigint;
  readonly validBefore: number;
  readonly nonce: string;
  readonly domainVersion: string;
};

/** The behaviour of a buyer. Each mutant changes one member. */
export type Habits = {
  readonly refuses: readonly (keyof typeof refusals)[];
  /** Also checks the offers after the first one. */
  readonly checksLaterOffers: boolean;
  readonly react: (failure: Failure) => Reaction;
  readonly draft: (lawful: Draft, offer: Offer) => Draft;
  /** The faults of a receipt that it notices. */
  readonly checks: readonly ('presence' | 'success' | 'payer' | 'chain' | 'transaction')[];
  /** Signs again after a false receipt. */
  readonly paysForReceipt: boolean;
  /** The broken streams that it takes for whole completions. */
  readonly trustedStreams: readonly Breakage[];
  /** Signs again if a second stream has another id than the first one. */
  readonly paysForOtherId: boolean;
  /** The requests whose redirects it follows. */
  readonly followsRedirects: 'none' | 'unpaid' | 'all';
  /** Pays an offer of its own if the gateway makes none. */
  readonly paysUnasked: boolean;
  readonly paysNothing: boolean;
  readonly timeoutMs: number;
};

const statusesToRepeat: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** The longest validity of a lawful authorization. */
export const validitySecondsMax = 3_600;

export const lawful: Habits = {
  refuses: ['price', 'token', 'recipient', 'network', 'scheme', 'resource'],
  checksLaterOffers: true,
  react: (failure) => (failure.kind !== 'status' || statusesToRepeat.has(failure.status) ? 'again' : 'end'),
  draft: (draft) => draft,
  checks: ['presence', 'success', 'payer', 'chain', 'transaction'],
  paysForReceipt: false,
  trustedStreams: [],
  paysForOtherId: false,
  followsRedirects: 'none',
  paysUnasked: false,
  paysNothing: false,
  timeoutMs: 10_000,
};
