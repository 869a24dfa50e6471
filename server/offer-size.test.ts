import { encodeX402V2Payment } from '@paid-inference/contract/headers';
import { expect, it } from 'vitest';
import shipped from './catalog.json' with { type: 'json' };
import { configSchema } from './config/schema.ts';
import { loadCatalog } from './inference/catalog.ts';
import { offerHeaders, quote, v2Offer } from './request/quote.ts';
import type { Address } from './types/units.ts';

// Node's HTTP clients drop a response whose headers exceed 16 KB, and other programs stop at 8 KB (D-266).
const headerBytesMax = 8 * 1024;

const address = `0x${'Ab'.repeat(20)}`;
const publicBaseUrl = (length: number) => 'https://gateway.example/'.padEnd(length, 'x');
const modelId = (length: number) => 'alder/'.padEnd(length, 'x');
/** A character of three bytes: none takes more for each unit of a string's length. */
const tokenName = (length: number) => '円'.repeat(length);
/** The longest reason of a facilitator that the gateway repeats. */
const reason = 'x'.repeat(100);

const isValidUrl = (length: number) =>
  configSchema.shape.publicBaseUrl.safeParse(publicBaseUrl(length)).success;
const isValidName = (length: number) => {
  const chain = {
    rpcUrl: 'https://node.example',
    asset: address.toLowerCase(),
    payTo: `0x${'cd'.repeat(20)}`,
  };
  return configSchema.shape.chain.safeParse({ ...chain, tokenName: tokenName(length) }).success;
};
const isValidId = (length: number) => {
  const models = shipped.models.map((model, at) => (at === 0 ? { ...model, id: modelId(length) } : model));
  return loadCatalog({ ...shipped, models }).ok;
};

const [url, name, id] = [longest(isValidUrl), longest(isValidName), longest(isValidId)];
const card = { inputPerMillion: 10n ** 30n, outputPerMillion: 10n ** 30n, minimum: 10n ** 30n };
/** An offer with the longest settings that the gateway accepts. */
const offer = quote(
  {
    kind: 'chat',
    model: modelId(id),
    messages: [{ role: 'user', content: 'x'.repeat(1_000_000) }],
    maxTokens: 2 ** 31 - 1,
    temperature: 1,
    stop: [],
    tools: [],
    toolChoice: { mode: 'none' },
    fields: {},
  },
  card as unknown as Parameters<typeof quote>[1],
  {
    publicBaseUrl: publicBaseUrl(url),
    asset: address as Address,
    payTo: address as Address,
    tokenName: tokenName(name),
    offerValiditySeconds: 2 ** 31 - 1,
  },
);

it('Each header of an offer stays below 8 KB with the longest settings that the gateway accepts (D-266)', () => {
  for (const [header, text] of Object.entries(offerHeaders(offer, reason))) {
    expect(text.length, header).toBeLessThan(headerBytesMax);
    expect(text.length, header).toBeGreaterThan(headerBytesMax / 4);
  }
});

it('The gateway reads a payment with the longest offer, which x402 v2 clients send back (D-286)', () => {
  const { resource, accepts, extensions } = v2Offer(offer, reason);
  const key = { ...extensions?.['payment-identifier'], info: { required: false, id: 'x'.repeat(128) } };
  const payment = {
    x402Version: 2,
    accepted: accepts[0] ?? {},
    resource,
    extensions: { ...extensions, 'payment-identifier': key },
    payload: {
      signature: `0x${'1'.repeat(130)}`,
      authorization: {
        from: address,
        to: address,
        value: offer.requirements.maxAmountRequired,
        validAfter: '0',
        validBefore: String(2 ** 31 - 1),
        nonce: `0x${'1'.repeat(64)}`,
      },
    },
  };
  const { paymentHeaderBytesMax } = configSchema.shape;
  expect(encodeX402V2Payment(payment).length).toBeLessThanOrEqual(paymentHeaderBytesMax.parse(undefined));
});

/** The greatest length that is valid. */
function longest(isValid: (length: number) => boolean): number {
  const lengths = Array.from({ length: 4_000 }, (_, at) => at + 30);
  const length = lengths.findLast(isValid);
  if (length === undefined || length === lengths.at(-1)) throw new Error('There is no upper limit.');
  return length;
}
