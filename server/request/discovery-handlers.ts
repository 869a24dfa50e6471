import { endpoints, network } from '@paid-inference/contract/constants';
import document from '@paid-inference/contract/openapi.json' with { type: 'json' };
import type { OpenApiDocument, OperationPrice, PaidResources } from '@paid-inference/contract/types';
import type { Handlers, Operations, Reply } from '../http/contract.ts';
import { shareBody } from '../http/reply.ts';
import type { RateCard } from '../inference/catalog.ts';
import type { AtomicAmount } from '../types/units.ts';
import { computePrice } from './price.ts';
import type { OfferTerms } from './quote.ts';
import type { ModelLimits } from './task.ts';

type Priced = ModelLimits & { readonly rateCard: RateCard };
type Terms = Pick<OfferTerms, 'publicBaseUrl' | 'asset'>;

const paidPaths = [endpoints.createChatCompletion.path, endpoints.createCompletion.path] as const;
/** The model in the examples of the contract. */
const [exampleModel] = document.components.schemas.ModelId.examples;

/** Handlers for the documents from which clients and directories learn of the endpoints (D-31, D-287). */
export function createDiscoveryHandlers(
  terms: Terms,
  models: ReadonlyMap<string, Priced>,
): Pick<Handlers, 'getOpenApiDocument' | 'getPaidResources'> {
  const own = shareBody(describeDeployment(terms, models));
  const resources = paidPaths.map((path) => `${terms.publicBaseUrl}${path}`);
  const paidResources = shareBody<PaidResources>({ version: 1, resources });
  return {
    async getOpenApiDocument(): Promise<Reply<Operations['getOpenApiDocument']>> {
      return { status: 200, headers: {}, body: own };
    },

    async getPaidResources(): Promise<Reply<Operations['getPaidResources']>> {
      return { status: 200, headers: {}, body: paidResources };
    },
  };
}

/**
 * The OpenAPI document of the deployment: with its address, one of its models in every example, and the range of its
 * prices. Directories of x402 services send an example to see an offer (D-287).
 */
function describeDeployment(
  { publicBaseUrl, asset }: Terms,
  models: ReadonlyMap<string, Priced>,
): OpenApiDocument {
  const [model] = models.keys();
  const useOwnModel = (_key: string, value: unknown) => (value === exampleModel ? (model ?? value) : value);
  const own = JSON.parse(JSON.stringify(document), useOwnModel) as typeof document;
  const price = priceRange(asset, [...models.values()]);
  const priced = paidPaths.map((path) => {
    const { post } = own.paths[path];
    return [path, { post: { ...post, 'x-payment-info': { ...post['x-payment-info'], price } } }];
  });
  const servers = [{ url: publicBaseUrl, description: 'This deployment' }];
  return { ...own, servers, paths: { ...own.paths, ...Object.fromEntries(priced) } };
}

/** The lowest and the highest price of a request that fits into one of the models. */
function priceRange(asset: string, models: readonly Priced[]): OperationPrice {
  const prices = models.flatMap(({ contextLength, maxOutputTokens, rateCard }) => [
    computePrice(0, 1, rateCard),
    computePrice(contextLength - 1, 1, rateCard),
    computePrice(contextLength - maxOutputTokens, maxOutputTokens, rateCard),
  ]);
  const sorted = prices.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const format = (price: AtomicAmount | undefined) => (price ?? 0n).toString();
  return {
    mode: 'dynamic',
    currency: 'XTS',
    asset: `${network}/erc20:${asset}`,
    min: format(sorted[0]),
    max: format(sorted.at(-1)),
  };
}
