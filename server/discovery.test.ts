import { headerNames } from '@paid-inference/contract/constants';
import { decodeX402V2Offer, decodeX402V2Refusal } from '@paid-inference/contract/headers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './testing/gateway.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post, type ReceivedResponse } from './testing/payer.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};
type Operation = {
  readonly requestBody: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly 'x-payment-info': { readonly price: { readonly min: string; readonly max: string } };
};
type Served = {
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

let gateway: TestGateway;
let served: Served;
beforeAll(async () => {
  gateway = await startTestGateway();
  served = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Served;
});
afterAll(() => gateway.stop());

function readOffer(response: ReceivedResponse) {
  const decoded = decodeX402V2Offer(response.headers.get(headerNames.paymentRequiredV2) ?? '');
  if (!decoded.ok) throw new Error(`no x402 v2 offer on a ${response.status}: ${decoded.message}`);
  return decoded.value;
}

/** The body that a directory sends: each required field with its example, else with a value of its type. */
function sample(schema: Schema): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return sample(served.components.schemas[name] ?? {});
  }
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.properties === undefined) return schema.type === 'array' ? [] : 'test';
  const fields = schema.required ?? [];
  return Object.fromEntries(fields.map((field) => [field, sample(schema.properties?.[field] ?? {})]));
}

describe('D-287: a directory of x402 services', () => {
  it('finds the paid endpoints, and gets an offer for a body from the OpenAPI document', async () => {
    const listing = (await (await fetch(`${gateway.url}/.well-known/x402`)).json()) as {
      readonly resources: readonly string[];
    };
    expect(listing.resources).toHaveLength(2);
    for (const resource of listing.resources) {
      const { post: operation } = served.paths[new URL(resource).pathname] ?? {};
      if (operation === undefined) throw new Error(`${resource} is not in the OpenAPI document.`);
      const response = await post(resource, sample(operation.requestBody.content['application/json'].schema));
      expect(response.status).toBe(402);
      const offer = readOffer(response);
      expect(offer.resource.url).toBe(resource);
      const { min, max } = operation['x-payment-info'].price;
      expect(BigInt(offer.accepts[0]?.amount ?? 0)).toBeGreaterThanOrEqual(BigInt(min));
      expect(BigInt(offer.accepts[0]?.amount ?? 0)).toBeLessThanOrEqual(BigInt(max));
    }
  });

  it('gets an offer for the example of an offer (D-286)', async () => {
    const { extensions } = readOffer(await post(`${gateway.url}${chatPath}`, chatBody));
    const input = extensions?.['bazaar']?.info['input'] as { readonly body: unknown } | undefined;
    expect((await post(`${gateway.url}${chatPath}`, input?.body)).status).toBe(402);
  });
});

/** The rules of x402lint for an offer, and of x402scan for its extension `bazaar`, as they document them. */
const documentedRules = {
  type: 'object',
  required: ['x402Version', 'accepts', 'resource', 'extensions'],
  properties: {
    x402Version: { const: 2 },
    accepts: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds'],
        properties: {
          network: { type: 'string', pattern: '^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$' },
          amount: { type: 'string', pattern: '^[1-9][0-9]*$' },
          asset: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
          payTo: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
          maxTimeoutSeconds: { type: 'integer', minimum: 1 },
        },
      },
    },
    resource: { type: 'object', required: ['url'], properties: { url: { pattern: '^https?://' } } },
    extensions: {
      type: 'object',
      required: ['bazaar'],
      properties: {
        bazaar: {
          type: 'object',
          required: ['info', 'schema'],
          properties: {
            info: {
              type: 'object',
              required: ['input', 'output'],
              properties: {
                input: {
                  type: 'object',
                  required: ['type', 'method', 'body'],
                  properties: { method: { enum: ['POST', 'PUT', 'PATCH'] } },
                  not: { required: ['queryParams'] },
                },
                output: { type: 'object', required: ['type'] },
              },
            },
            schema: { type: 'object', required: ['$schema', 'properties'] },
          },
        },
      },
    },
  },
};

it('D-286: an offer keeps the documented rules of x402lint and x402scan', async () => {
  const follows = new Ajv2020({ strict: false }).compile(documentedRules);
  const offer = readOffer(await post(`${gateway.url}${chatPath}`, chatBody));
  expect(follows(offer), JSON.stringify(follows.errors)).toBe(true);
  const { bazaar: _listed, ...extensions } = offer.extensions ?? {};
  expect(follows({ ...offer, extensions })).toBe(false);
});

describe('D-285: a refused payment', () => {
  const readRefusal = ({ headers }: ReceivedResponse) =>
    decodeX402V2Refusal(headers.get(headerNames.paymentResponseV2) ?? '');

  it('gets the reason and its payer in PAYMENT-RESPONSE, and no receipt', async () => {
    const chat = `${gateway.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const poor = Wallet.createRandom();
    const response = await post(chat, chatBody, await paymentFor(offer, poor.privateKey));
    expect(response.status).toBe(402);
    expect(response.headers.has(headerNames.paymentResponse)).toBe(false);
    expect(readRefusal(response)).toEqual({
      ok: true,
      value: {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'eip155:84532',
        payer: poor.address.toLowerCase(),
      },
    });
  });

  it('names no payer unless the signature is valid', async () => {
    const chat = `${gateway.url}${chatPath}`;
    const offer = decodeOffer(await post(chat, chatBody));
    const otherDomain = { ...offer, extra: { ...offer.extra, name: 'Other Token' } };
    const { privateKey } = gateway.devnet.payer;
    const response = await post(chat, chatBody, await paymentFor(otherDomain, privateKey));
    expect(response.status).toBe(401);
    const refusal = readRefusal(response);
    expect(refusal).toMatchObject({ value: { errorReason: 'invalid_exact_evm_payload_signature' } });
    expect(refusal).not.toHaveProperty('value.payer');
  });

  it('is not claimed for a request without a payment', async () => {
    const response = await post(`${gateway.url}${chatPath}`, chatBody);
    expect(response.headers.has(headerNames.paymentResponseV2)).toBe(false);
  });
});
