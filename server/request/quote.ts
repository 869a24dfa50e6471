import {
  endpoints,
  mimeType,
  network,
  primaryType,
  scheme,
  tokenDomainVersion,
} from '@paid-inference/contract/constants';
import { encodePaymentRequirements, encodeX402V2Offer } from '@paid-inference/contract/headers';
import type {
  BazaarExtension,
  PaymentRequirements,
  X402V1Offer,
  X402V2Offer,
} from '@paid-inference/contract/types';
import { shareBody } from '../http/reply.ts';
import type { RateCard } from '../inference/catalog.ts';
import type { InferenceTask } from '../inference/engine.ts';
import type { Address, AtomicAmount } from '../types/units.ts';
import { describeEndpoint } from './bazaar.ts';
import { computePrice, estimateInputTokens } from './price.ts';

/** The part that all offers of a deployment have in common. */
export type OfferTerms = {
  /** Without a trailing slash. It comes from the configuration, never from `Host` (D-27). */
  readonly publicBaseUrl: string;
  readonly asset: Address;
  readonly payTo: Address;
  readonly tokenName: string;
  readonly offerValiditySeconds: number;
};

/** The terms of an offer, and its endpoint for directories of x402 services (D-286). */
type Offer = { readonly requirements: PaymentRequirements; readonly bazaar: BazaarExtension };

/** The price of a task, and its offer. */
export type Quote = Offer & { readonly price: AtomicAmount };

/** Returns the quote of a task. */
export type QuoteTask = (task: InferenceTask, rateCard: RateCard) => Quote;

/** Quotes that a process remembers. Each holds its offer with its encoded headers, about 4 KB. */
const quotesMax = 1_000;

/**
 * Creates the function that quotes tasks. It returns the same object for the same offer while it remembers the
 * quote, so that the headers of the offer are encoded once.
 */
export function createQuoteTask(terms: OfferTerms): QuoteTask {
  const quotes = new Map<string, Quote>();
  return (task, rateCard) => {
    const price = computePrice(estimateInputTokens(task), task.maxTokens, rateCard);
    const key = `${task.kind} ${price} ${task.maxTokens} ${task.model}`;
    const known = quotes.get(key);
    if (known !== undefined) return known;
    const fresh = quote(task, rateCard, terms);
    const [oldest] = quotes.size < quotesMax ? [] : quotes.keys();
    if (oldest !== undefined) quotes.delete(oldest);
    quotes.set(key, fresh);
    return fresh;
  };
}

/** A pure function of task, rate card and terms: the same body always costs the same (D-16, D-17). */
export function quote(task: InferenceTask, rateCard: RateCard, terms: OfferTerms): Quote {
  const price = computePrice(estimateInputTokens(task), task.maxTokens, rateCard);
  const isChat = task.kind === 'chat';
  const endpoint = isChat ? endpoints.createChatCompletion : endpoints.createCompletion;
  const requirements: PaymentRequirements = {
    scheme,
    network,
    maxAmountRequired: price.toString(),
    resource: `${terms.publicBaseUrl}${endpoint.path}`,
    description: `${isChat ? 'Chat' : 'Text'} completion by ${task.model}, up to ${task.maxTokens} tokens`,
    mimeType,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.offerValiditySeconds,
    asset: terms.asset,
    extra: { name: terms.tokenName, version: tokenDomainVersion },
  };
  return { price, requirements, bazaar: describeEndpoint(task.kind, task.model) };
}

type OfferHeaders = { readonly 'X-PAYMENT-REQUIRED': string; readonly 'PAYMENT-REQUIRED': string };

/** Reasons that are remembered for an offer. A facilitator may send reasons of its own. */
const reasonsMax = 32;
const encoded = new WeakMap<Offer, Map<string, OfferHeaders>>();

/** The reason of a request without a payment. */
export const paymentMissing = 'X-PAYMENT header is required';
/** The v2 offer names the header of v2 (D-266). */
const reasonsOfV2: Readonly<Record<string, string>> = {
  [paymentMissing]: 'PAYMENT-SIGNATURE header is required',
};

/** The headers of an offer. They are encoded once for each offer and reason. */
export function offerHeaders(offer: Offer, reason: string): OfferHeaders {
  const byReason = encoded.get(offer) ?? new Map<string, OfferHeaders>();
  encoded.set(offer, byReason);
  const known = byReason.get(reason);
  if (known !== undefined) return known;
  const headers = {
    'X-PAYMENT-REQUIRED': encodePaymentRequirements(offer.requirements),
    'PAYMENT-REQUIRED': encodeX402V2Offer(v2Offer(offer, reasonsOfV2[reason] ?? reason)),
  };
  if (byReason.size < reasonsMax) byReason.set(reason, headers);
  return headers;
}

const bodies = new WeakMap<PaymentRequirements, Map<string, X402V1Offer>>();

/** The offer as an x402 v1 body (D-01). It is made and serialized once for each offer, reason and message. */
export function v1Offer(requirements: PaymentRequirements, error: string, message: string): X402V1Offer {
  const byText = bodies.get(requirements) ?? new Map<string, X402V1Offer>();
  bodies.set(requirements, byText);
  const text = `${error} ${message}`;
  const known = byText.get(text);
  if (known !== undefined) return known;
  const body: X402V1Offer = {
    x402Version: 1,
    error,
    accepts: [{ ...requirements, network: 'base-sepolia' }],
    message,
  };
  if (byText.size < reasonsMax) byText.set(text, shareBody(body));
  return body;
}

/** The offer as the content of the x402 v2 header (D-01). */
export function v2Offer({ requirements, bazaar }: Offer, error: string): X402V2Offer {
  const { scheme, network, maxAmountRequired, asset, payTo, maxTimeoutSeconds, extra } = requirements;
  const { resource: url, description, mimeType } = requirements;
  return {
    x402Version: 2,
    error,
    resource: { url, description, mimeType },
    accepts: [
      {
        scheme,
        network,
        amount: maxAmountRequired,
        asset,
        payTo,
        maxTimeoutSeconds,
        extra: { ...extra, primaryType },
      },
    ],
    extensions: { 'payment-identifier': paymentIdentifier, bazaar },
  };
}

/** The x402 extension for keys of purchases (D-260). */
const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      required: { type: 'boolean' },
      id: { type: 'string', minLength: 16, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' },
    },
    required: ['required'],
  },
};
