import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import { OperationPrice, PaidResources } from '@paid-inference/contract/validators';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../http/contract.ts';
import { type Address, atomicAmount } from '../types/units.ts';
import { createDiscoveryHandlers } from './discovery-handlers.ts';
import { computePrice } from './price.ts';

type Models = Parameters<typeof createDiscoveryHandlers>[1];
type Paid = {
  readonly 'x-payment-info': { readonly protocols: unknown; readonly price: { min: string; max: string } };
};
type Served = {
  readonly servers: unknown;
  readonly paths: Readonly<Record<string, { readonly post: Paid }>>;
  readonly components: { readonly schemas: { readonly ModelId: { readonly examples: unknown } } };
};

const terms = { publicBaseUrl: 'https://pay.example/llm', asset: `0x${'aa'.repeat(20)}` as Address };

function model(input: bigint, output: bigint, minimum: bigint, contextLength = 40, maxOutputTokens = 10) {
  const rateCard = {
    inputPerMillion: atomicAmount(input * 1_000_000n),
    outputPerMillion: atomicAmount(output * 1_000_000n),
    minimum: atomicAmount(minimum),
  };
  return { rateCard, contextLength, maxOutputTokens };
}

async function serve(models: Models): Promise<{ served: Served; text: string; resources: unknown }> {
  const handlers = createDiscoveryHandlers(terms, models);
  const exchange = {} as Exchange;
  const { body } = await handlers.getOpenApiDocument({} as never, exchange);
  const { body: resources } = await handlers.getPaidResources({} as never, exchange);
  return { served: body as unknown as Served, text: JSON.stringify(body), resources };
}

describe('D-287: the served OpenAPI document', () => {
  it('has the address of the deployment, and one of its models in every example', async () => {
    const { served, text } = await serve(new Map([['oak/oak-mini', model(1n, 1n, 0n)]]));
    expect(served.servers).toEqual([{ url: terms.publicBaseUrl, description: expect.any(String) }]);
    expect(served.components.schemas.ModelId.examples).toEqual(['oak/oak-mini']);
    expect(text).not.toContain(document.components.schemas.ModelId.examples[0]);
    expect(text.split('"oak/oak-mini"').length).toBeGreaterThan(5);
  });

  it.each([
    ['output costs more', [model(1n, 4n, 0n)]],
    ['input costs more', [model(5n, 2n, 0n)]],
    ['the minimum counts', [model(1n, 1n, 25n)]],
    ['there are several models', [model(1n, 4n, 7n), model(3n, 1n, 2n, 80, 80), model(1n, 1n, 90n)]],
  ])('has the lowest and the highest price of all requests when %s', async (_name, sold) => {
    const models: Models = new Map(sold.map((each, at) => [`oak/oak-${at}`, each]));
    const { served } = await serve(models);
    const prices = sold.flatMap(({ rateCard, contextLength, maxOutputTokens }) =>
      Array.from({ length: maxOutputTokens }, (_, at) => at + 1).flatMap((output) =>
        Array.from({ length: contextLength - output + 1 }, (_, input) =>
          Number(computePrice(input, output, rateCard)),
        ),
      ),
    );
    for (const path of ['/v1/chat/completions', '/v1/completions']) {
      const { protocols, price } = served.paths[path]?.post['x-payment-info'] ?? {};
      expect(protocols).toEqual([{ x402: {} }]);
      expect(OperationPrice(price)).toBe(true);
      expect(price).toEqual({
        mode: 'dynamic',
        currency: 'XTS',
        asset: `eip155:84532/erc20:${terms.asset}`,
        min: String(Math.min(...prices)),
        max: String(Math.max(...prices)),
      });
    }
  });

  it('leaves the document of the contract as it is', async () => {
    const before = structuredClone(document);
    await serve(new Map([['oak/oak-mini', model(1n, 1n, 0n)]]));
    expect(document).toEqual(before);
  });
});

it('D-287: /.well-known/x402 has the URLs of the paid endpoints', async () => {
  const { resources } = await serve(new Map());
  expect(PaidResources(resources)).toBe(true);
  expect(resources).toEqual({
    version: 1,
    resources: ['https://pay.example/llm/v1/chat/completions', 'https://pay.example/llm/v1/completions'],
  });
});
