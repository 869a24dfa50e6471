import { chainId } from '@paid-inference/contract/constants';
import { computeAddress } from '../chain/curve.ts';
import type { Environment } from '../config/environment.ts';
import type { Loaded, ReadConfig } from '../config/load.ts';
import { maskUrl } from '../config/mask-url.ts';
import type { Config } from '../config/schema.ts';
import { urlWarnings } from '../config/url-warnings.ts';
import { type Catalog, type CatalogEntry, presentModel } from '../inference/catalog.ts';
import { listLlamaFaults } from '../inference/llama-files.ts';
import { missingUpstreamKeys } from '../inference/upstream-keys.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { readCatalog } from './read-catalog.ts';
import { findStorePath } from './store-path.ts';

/** How a gateway with these settings would run. It contains no secret. */
export type CheckedConfig = {
  readonly listensOn: string;
  /** The URL in offers; null if it is known only once the gateway listens. */
  readonly baseUrl: string | null;
  readonly chain: CheckedChain;
  readonly settledBy: CheckedSettlement;
  readonly store:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly host: string; readonly database: string };
  /** Null for the proof ledger of the devnet. */
  readonly proofLedger: {
    readonly chainId: number;
    readonly contract: string;
    readonly rpcUrl: string;
    readonly writtenBy: string | null;
  } | null;
  readonly models: readonly CheckedModel[];
  readonly attestation: Pick<Config['attestation'], 'provider' | 'required'>;
  readonly warnings: readonly string[];
};

type CheckedChain =
  | { readonly kind: 'devnet'; readonly id: number; readonly folder: string }
  | {
      readonly kind: 'chain';
      readonly id: number;
      readonly rpcUrls: readonly string[];
      readonly token: { readonly address: string; readonly name: string };
      readonly payTo: string;
    };

type CheckedSettlement =
  | { readonly kind: 'devnet' }
  | { readonly kind: 'relayers'; readonly addresses: readonly string[]; readonly feeGweiMax: number }
  | {
      readonly kind: 'facilitator';
      readonly url: string;
      readonly x402Version: 1 | 2 | null;
      readonly hasToken: boolean;
    };

type CheckedModel = Pick<CatalogEntry, 'id' | 'engine'> & {
  /** In the token's smallest unit. */
  readonly pricing: ReturnType<typeof presentModel>['pricing'];
  /** The servers of the model, with their weights; empty if the gateway runs the model. */
  readonly upstreams: readonly { readonly url: string; readonly weight: number }[];
};

/** Finds every fault in settings and files. It opens no store, no port and no connection. */
export function checkConfig(
  read: ReadConfig,
  environment: Environment,
): Result<CheckedConfig, readonly string[]> {
  const { loaded, faults } = read;
  const catalog = checkCatalog(read, environment);
  if (loaded === null || faults.length > 0 || !catalog.ok)
    return fail([...faults, ...(catalog.ok ? [] : catalog.fault)]);
  return ok(describe(loaded, catalog.value));
}

/** Reads the catalog and finds the faults of its entries, also beside wrong settings. */
export function checkCatalog(
  { loaded, settings }: ReadConfig,
  environment: Environment,
): Result<Catalog, readonly string[]> {
  const { catalogFile } = loaded?.config ?? settings;
  const catalog = readCatalog(
    typeof catalogFile === 'string' && catalogFile !== '' ? catalogFile : undefined,
  );
  if (!catalog.ok) return catalog;
  const faults = [...missingUpstreamKeys(catalog.value, environment), ...listLlamaFaults(catalog.value)];
  return faults.length > 0 ? fail(faults) : catalog;
}

function describe(loaded: Loaded, catalog: Catalog): CheckedConfig {
  const { config, warnings = [] } = loaded;
  const { host, port, publicBaseUrl, attestation } = config;
  const listensOn = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    listensOn,
    baseUrl: publicBaseUrl ?? (port === 0 ? null : `http://${listensOn}`),
    chain: describeChain(config),
    settledBy: describeSettlement(loaded),
    store: describeStore(loaded),
    proofLedger: config.proofLedger
      ? {
          ...config.proofLedger,
          rpcUrl: maskUrl(config.proofLedger.rpcUrl),
          writtenBy: loaded.proofLedgerKey ? computeAddress(loaded.proofLedgerKey) : null,
        }
      : null,
    models: catalog.list().map(describeModel),
    attestation: { provider: attestation.provider, required: attestation.required },
    warnings: [...warnings, ...urlWarnings(config)],
  };
}

function describeChain({ chain, devnetFolder }: Config): CheckedChain {
  if (chain === undefined) return { kind: 'devnet', id: chainId, folder: devnetFolder };
  const { rpcUrl, asset, tokenName, payTo } = chain;
  return {
    kind: 'chain',
    id: chainId,
    rpcUrls: rpcUrl.map(maskUrl),
    token: { address: asset, name: tokenName },
    payTo,
  };
}

function describeSettlement({ config, relayerKeys, facilitatorToken = null }: Loaded): CheckedSettlement {
  const { chain, facilitator, feeGweiMax } = config;
  if (chain === undefined) return { kind: 'devnet' };
  if (facilitator === undefined)
    return { kind: 'relayers', addresses: relayerKeys.map(computeAddress), feeGweiMax };
  return {
    kind: 'facilitator',
    url: maskUrl(facilitator.url),
    x402Version: facilitator.x402Version ?? null,
    hasToken: facilitatorToken !== null,
  };
}

function describeStore({ config, store = null }: Loaded): CheckedConfig['store'] {
  if (store === null) return { kind: 'sqlite', file: findStorePath(config) };
  const { host, pathname } = new URL(store.url);
  return { kind: 'postgres', host, database: pathname.slice(1) };
}

function describeModel(entry: CatalogEntry): CheckedModel {
  const { id, engine, upstreams } = entry;
  return {
    id,
    engine,
    pricing: presentModel(entry).pricing,
    upstreams: upstreams.map(({ baseUrl, weight }) => ({ url: maskUrl(baseUrl), weight })),
  };
}
