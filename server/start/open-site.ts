import { fromDigits, toHex } from '../chain/bytes.ts';
import { curve } from '../chain/curve.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import type { FindSiteRoute } from '../http/site-route.ts';
import type { Catalog } from '../inference/catalog.ts';
import { presentModel } from '../inference/catalog.ts';
import { systemClock } from '../types/clock.ts';
import type { DevnetPayer } from '../web/devnet-wallet.ts';
import { createLateReader } from './late-reader.ts';
import { readManifest } from './manifest.ts';
import type { OpenChain } from './open-chain.ts';
import type { OpenLedgerNetwork } from './open-ledger-network.ts';
import type { StartOptions } from './start-options.ts';

type SiteOutside = {
  readonly catalog: Catalog;
  readonly chain: OpenChain;
  readonly network: OpenLedgerNetwork;
  readonly attestation: { readonly provider: string; readonly hardware: boolean };
  readonly publicBaseUrl: string;
};

/** Opens the web page, or returns null where the settings turn it off. It reads the store when a visitor first comes. */
export async function openSite(
  options: StartOptions,
  { catalog, chain, network, attestation, publicBaseUrl }: SiteOutside,
  opened: AsyncDisposableStack,
): Promise<FindSiteRoute | null> {
  const { config, clock = systemClock } = options;
  if (!config.webPage) return null;
  const [{ createSite }, { createFacts }] = await Promise.all([
    import('../web/site.ts'),
    import('../web/facts.ts'),
  ]);
  const { asset, payTo, devnet } = chain;
  const devnetPayer = devnet && createDevnetPayer(chain, devnet.payer);
  const read = createLateReader(options);
  opened.defer(() => read.close());
  const fixed = {
    gateway: publicBaseUrl,
    version: readManifest().version,
    token: { address: asset, name: chain.tokenName },
    payTo,
    settledBy: config.facilitator === undefined ? ('relayers' as const) : ('facilitator' as const),
    proofLedger: { chainId: network.chainId, contract: network.contract },
    attestation,
    models: catalog.list().map(presentModel),
    devnetPayer: devnetPayer?.address ?? null,
  };
  return createSite({
    readFacts: createFacts(fixed, {
      rpc: chain.rpc,
      clock,
      readSums: async (since, max) => (await read.open())?.sumSince(since, max) ?? null,
    }),
    findPayment: async (payer, nonce) => (await read.open())?.lookUp(asset, payer, nonce) ?? null,
    payTo,
    nodes: {
      payments: { rpc: chain.rpc, contract: asset },
      proofs: { rpc: network.rpc, contract: network.contract },
    },
    devnetPayer,
    admit: createRateLimit(config.webPageRateLimit),
  });
}

function createDevnetPayer(
  { hasher, domainSeparator }: OpenChain,
  { address, privateKey }: { readonly address: DevnetPayer['address']; readonly privateKey: string },
): DevnetPayer {
  return {
    address,
    sign(authorization) {
      const digest = hasher.authorizationDigest(domainSeparator, authorization);
      const { signature, recid } = curve.ecdsaSign(digest, fromDigits(privateKey.slice(2)));
      return toHex(Buffer.concat([signature, Buffer.of(27 + recid)]));
    },
  };
}
