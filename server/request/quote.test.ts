import { decodeX402V2Offer } from '@paid-inference/contract/headers';
import { PaymentRequirements, X402V1Offer, X402V2Offer } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import type { RateCard } from '../inference/catalog.ts';
import type { ChatTask, TextTask } from '../inference/engine.ts';
import { type Address, atomicAmount } from '../types/units.ts';
import { createQuoteTask, type OfferTerms, offerHeaders, quote, v1Offer, v2Offer } from './quote.ts';

const terms: OfferTerms = {
  publicBaseUrl: 'https://pay.example/llm',
  asset: `0x${'aa'.repeat(20)}` as Address,
  payTo: `0x${'bb'.repeat(20)}` as Address,
  tokenName: 'Test Payment Token',
  offerValiditySeconds: 300,
};

function rates(inputPerMillion: bigint, outputPerMillion: bigint, minimum: bigint): RateCard {
  return {
    inputPerMillion: atomicAmount(inputPerMillion),
    outputPerMillion: atomicAmount(outputPerMillion),
    minimum: atomicAmount(minimum),
  };
}

function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined || items.length > 1) throw new Error('there is not exactly one');
  return item;
}

const chat: ChatTask = {
  kind: 'chat',
  model: 'alder/alder-mini',
  messages: [{ role: 'user', content: 'abcd' }],
  maxTokens: 100,
  temperature: 1,
  stop: [],
  fields: {},
  tools: [],
  toolChoice: { mode: 'none' },
};
const text: TextTask = {
  kind: 'text',
  model: 'alder/alder-mini',
  prompt: 'abcd',
  maxTokens: 100,
  temperature: 1,
  stop: [],
  fields: {},
};

describe('§2.8: the offer', () => {
  const rateCard = rates(1_000_000n, 2_000_000n, 1n);

  it('of a chat names its endpoint, its price, and the domain of the token', () => {
    const { price, requirements } = quote(chat, rateCard, terms);
    expect(price).toBe(5n + 200n);
    expect(requirements).toEqual({
      scheme: 'exact',
      network: 'eip155:84532',
      maxAmountRequired: '205',
      resource: 'https://pay.example/llm/v1/chat/completions',
      description: 'Chat completion by alder/alder-mini, up to 100 tokens',
      mimeType: 'application/json',
      payTo: terms.payTo,
      maxTimeoutSeconds: 300,
      asset: terms.asset,
      extra: { name: 'Test Payment Token', version: '1' },
    });
    expect(PaymentRequirements(requirements)).toBe(true);
  });

  it('of a text names the other endpoint', () => {
    const { price, requirements } = quote(text, rateCard, terms);
    expect(price).toBe(1n + 200n);
    expect(requirements.resource).toBe('https://pay.example/llm/v1/completions');
    expect(requirements.description).toMatch(/^Text completion/);
  });

  it('is pure: a second call returns the same and changes no argument', () => {
    const before = structuredClone([chat, terms]);
    const first = quote(chat, rateCard, terms);
    expect(quote(structuredClone(chat), rateCard, structuredClone(terms))).toEqual(first);
    expect([chat, terms]).toEqual(before);
  });

  it('does not depend on temperature, stop or key order, which cost no work (D-17)', () => {
    const { price } = quote(chat, rateCard, terms);
    const turned: ChatTask = {
      ...chat,
      messages: [{ content: 'abcd', role: 'user' }],
      temperature: 0,
      stop: ['\n'],
    };
    expect(quote(turned, rateCard, terms).price).toBe(price);
    expect(quote({ ...chat, maxTokens: 101 }, rateCard, terms).price).toBe(price + 2n);
  });
});

describe('A process that remembers quotes', () => {
  const rateCard = rates(1_000_000n, 2_000_000n, 1n);

  it('returns the same quote as one that does not, for each task', () => {
    const quoteTask = createQuoteTask(terms);
    for (const task of [chat, text, { ...chat, maxTokens: 101 }, { ...chat, model: 'other' }, chat, text])
      expect(quoteTask(task, rateCard)).toEqual(quote(task, rateCard, terms));
  });

  it('encodes the headers of an offer once for each reason', () => {
    const quoteTask = createQuoteTask(terms);
    const [first, second] = [quoteTask(chat, rateCard), quoteTask(structuredClone(chat), rateCard)];
    const headers = offerHeaders(first, 'why');
    expect(offerHeaders(second, 'why')).toBe(headers);
    const other = offerHeaders(second, 'why not');
    expect(decodeX402V2Offer(other['PAYMENT-REQUIRED'])).toMatchObject({ value: { error: 'why not' } });
  });

  it('makes the body of an offer once for each reason and message', () => {
    const { requirements } = createQuoteTask(terms)(chat, rateCard);
    const body = v1Offer(requirements, 'why', 'Sign it.');
    expect(v1Offer(requirements, 'why', 'Sign it.')).toBe(body);
    expect(v1Offer(requirements, 'why', 'Sign again.')).toMatchObject({
      error: 'why',
      message: 'Sign again.',
    });
    expect(v1Offer(requirements, 'why not', 'Sign it.')).toMatchObject({ error: 'why not' });
  });

  it('forgets the oldest of a thousand quotes, and quotes it again', () => {
    const quoteTask = createQuoteTask(terms);
    const first = quoteTask(chat, rateCard);
    for (let maxTokens = 101; maxTokens <= 1_100; maxTokens++) quoteTask({ ...chat, maxTokens }, rateCard);
    expect(quoteTask(chat, rateCard)).not.toBe(first);
    expect(quoteTask(chat, rateCard)).toEqual(first);
  });
});

describe('D-01: the same offer for x402 clients', () => {
  const offered = quote(chat, rates(1_000_000n, 1n, 1n), terms);
  const { requirements } = offered;

  it('v1: one option, under the only network name that v1 clients know', () => {
    const offer = v1Offer(requirements, 'X-PAYMENT header is required', 'Sign it.');
    expect(X402V1Offer(offer)).toBe(true);
    expect(offer).toMatchObject({
      x402Version: 1,
      error: 'X-PAYMENT header is required',
      message: 'Sign it.',
    });
    expect(offer.accepts).toEqual([{ ...requirements, network: 'base-sepolia' }]);
  });

  it('v2: the amount under its v2 name, the resource beside the options', () => {
    const offer = v2Offer(offered, 'why');
    expect(X402V2Offer(offer)).toBe(true);
    const { resource: url, description, mimeType, maxAmountRequired, extra, ...option } = requirements;
    expect(offer.resource).toEqual({ url, description, mimeType });
    const { extra: extraOfV2, ...optionOfV2 } = only(offer.accepts);
    expect(optionOfV2).toEqual({ ...option, amount: maxAmountRequired });
    expect(extraOfV2).toEqual({ ...extra, primaryType: 'TransferWithAuthorization' });
    expect(offer.error).toBe('why');
  });

  it('v2 alone names the type to sign and the header of v2 (D-266)', () => {
    const headers = offerHeaders(offered, 'X-PAYMENT header is required');
    const read = (name: keyof typeof headers) => Buffer.from(headers[name], 'base64').toString();
    expect(read('PAYMENT-REQUIRED')).toContain('"PAYMENT-SIGNATURE header is required"');
    expect(read('PAYMENT-REQUIRED')).toContain('"primaryType":"TransferWithAuthorization"');
    expect(read('X-PAYMENT-REQUIRED')).not.toContain('primaryType');
    expect(JSON.stringify(v1Offer(requirements, 'why', 'Sign it.'))).not.toContain('primaryType');
  });
});
