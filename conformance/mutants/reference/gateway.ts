import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { createTransferCheck } from '../../../server/chain/check-transfer.ts';
import { createKeccak } from '../../../server/chain/keccak.ts';
import { createPaymentToken } from '../../../server/chain/token.ts';
import { type Config, configSchema } from '../../../server/config/schema.ts';
import { createGateway, type GatewayPorts } from '../../../server/gateway.ts';
import { createRateLimit } from '../../../server/http/rate-limit.ts';
import { loadCatalog, presentModel } from '../../../server/inference/catalog.ts';
import { createReferenceEngine } from '../../../server/inference/reference/reference-engine.ts';
import { createLog } from '../../../server/observe/log.ts';
import { createPayerReader } from '../../../server/payment/balance.ts';
import { createSignatureRecovery } from '../../../server/payment/recovery.ts';
import { createCanonicalHash } from '../../../server/proof/canonical-hash.ts';
import { type OpenChain, openChain, startOwnChain } from '../../../server/start/open-chain.ts';
import { openLedgerNetwork, startProofs } from '../../../server/start/open-ledger-network.ts';
import { attest, openProofs } from '../../../server/start/open-proofs.ts';
import { openSettlement } from '../../../server/start/open-settlement.ts';
import { claimStore } from '../../../server/start/open-store.ts';
import { systemClock } from '../../../server/types/clock.ts';
import type { Result } from '../../../server/types/result.ts';
import type { Bytes32 } from '../../../server/types/units.ts';
import { listenOnLoopback } from '../../testing/fake-target.ts';
import type { Target } from '../target.ts';

/** What a port of the gateway is changed to; what it knows of the chain, it is told. */
export type PortsChange = (ports: GatewayPorts, chain: OpenChain) => Partial<GatewayPorts>;

/** The reference gateway, for as long as it is held. */
export type ReferenceGateway = AsyncDisposable & {
  /** The gateway with some of its ports changed, or none. */
  target(change?: PortsChange): Target;
  /** Nodes of its two networks. */
  readonly nodes: { readonly chainRpcUrl: string; readonly ledgerRpcUrl: string };
};

/** Each gateway names it anew; only a facilitator would be told this one. */
const publicBaseUrl = 'http://gateway.invalid';

/**
 * Opens what the reference gateway runs on: a chain of its own, its store, its settler. Gateways upon it are made by
 * `createGateway`, the door for those who embed it: that opens nothing and starts nothing, so that each mutant is the whole
 * gateway and takes no time to start.
 */
export async function openReferenceGateway(): Promise<ReferenceGateway> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'conformance-mutants-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const config = configOf(folder);
  const loaded = { config, relayerKeys: [] };
  const [log, clock] = [createLog(config.logLevel), systemClock];
  const keccak = await createKeccak();
  const devnet = await startOwnChain(config);
  opened.defer(() => devnet.stop());
  const chain = sound(await openChain(config, devnet, [], keccak, log));
  opened.defer(() => chain.close());
  const network = sound(await openLedgerNetwork(config, devnet, null, log));
  if (network === null) throw new Error('the devnet has no key for its proof ledger');
  opened.defer(() => network.close());
  const claimed = sound(await claimStore(config, null));
  opened.defer(() => claimed.release());
  const { rpc, asset, canBatch } = chain;
  const store = sound(await claimed.open({ chainId, asset }, log, clock));
  opened.defer(() => store.close());
  const canonicalHash = createCanonicalHash(keccak);
  const { attestation: settings } = config;
  const attested = sound(await attest({ ledger: network, settings, keccak, clock, log }));
  attested.bindStore(store);
  const proofs = await openProofs(attested, { store, keccak, canonicalHash, clock, log });
  const token = createPaymentToken({ rpc, asset });
  const readPayer = createPayerReader({ rpc, token, asset, canBatch }, clock);
  const settlement = await openSettlement(loaded, {
    chain,
    // A mutant may take a forged payment. The payer, whom all mutants share, must not be held back for it.
    store: { ...store, fail: (id, failure) => store.fail(id, failure, null) },
    token,
    readPayer,
    checkTransfer: createTransferCheck(rpc, asset),
    publicBaseUrl,
    log,
    clock,
  });
  opened.defer(() => settlement.close());
  const { signer } = proofs.prover;
  const evidenceHash = proofs.attester.boot.evidenceHash as Bytes32;
  const writer = startProofs(loaded, network, { store, log, clock, signer, evidenceHash });
  opened.defer(() => writer.close(0));
  const ports: GatewayPorts = {
    clock,
    log,
    store,
    settler: settlement.settler,
    recovery: await createSignatureRecovery(keccak),
    canonicalHash,
    prover: proofs.prover,
    attester: proofs.attester,
    proofLedger: proofs.ledger,
    readPayer: insistently(readPayer),
    saleIssue: async () => writer.keyIssue(),
    ...permissivePorts(config, chain),
  };
  const payerKey = devnet.payer.privateKey;
  const closers = opened.move();
  return {
    nodes: { chainRpcUrl: devnet.rpcUrl, ledgerRpcUrl: devnet.ledger.rpcUrl },
    target: (change = () => ({})) => ({
      name: 'the reference gateway',
      payerKey,
      open(publicUrl) {
        const named = { ...ports, terms: { ...ports.terms, publicBaseUrl: publicUrl } };
        const { listener } = createGateway({ ...named, ...change(named, chain) });
        return listenOnLoopback(listener);
      },
    }),
    [Symbol.asyncDispose]: () => closers.disposeAsync(),
  };
}

function configOf(folder: string): Config {
  return configSchema.parse({
    devnetFolder: folder,
    addressRateLimit: null,
    payerRateLimit: null,
    logLevel: 'silent',
    attestation: { provider: 'software' },
    proofBatchAgeSeconds: 1,
    // A machine that is busy with something else is no fault of a mutant.
    balanceAgeMaxSeconds: 60,
    rpcTimeoutMs: 60_000,
    settlementWaitMs: 120_000,
    unsettledWaitMs: 120_000,
  });
}

/** Ports by which every request is let in and every payment may be tried. */
function permissivePorts(config: Config, chain: OpenChain) {
  const { asset, payTo, tokenName } = chain;
  return {
    digestOf: (authorization) => chain.hasher.authorizationDigest(chain.domainSeparator, authorization),
    // A mutant may serve what the token would refuse.
    checkTransfer: async () => 'passes',
    isStopping: () => false,
    admitAddress: async () => ({ admitted: true, retryAfterSeconds: 0, headers: {} }),
    admitProbe: createRateLimit(null),
    trustedProxies: 0,
    admitPayer: async () => null,
    limits: config,
    taskLimits: config,
    bodyLimits: config,
    cors: { allowOrigin: config.corsAllowOrigin },
    models: soldModels(),
    terms: { publicBaseUrl, asset, payTo, tokenName, offerValiditySeconds: config.offerValiditySeconds },
    readiness: async () => [],
  } satisfies Partial<GatewayPorts>;
}

/** A devnet keeps the newest block alone, so that a call for it fails where the next one is mined meanwhile: ask once more. */
function insistently(read: GatewayPorts['readPayer']): GatewayPorts['readPayer'] {
  return async (...of) => {
    const first = await read(...of);
    return first.ok ? first : read(...of);
  };
}

/** A gateway that takes no more than a few requests a minute, of anybody. */
export const fewRequests: PortsChange = () => ({
  admitAddress: createRateLimit({ requestsMax: 8, windowSeconds: 60 }),
});

/** The catalog that is shipped, served by one engine whose wording does not vary. */
function soldModels(): GatewayPorts['models'] {
  const file = new URL('../../../server/catalog.json', import.meta.url);
  const catalog = sound(loadCatalog(JSON.parse(readFileSync(file, 'utf8'))));
  const engine = createReferenceEngine({ randomSeed: () => 'the same each time' });
  return new Map(
    catalog.list().map((entry) => {
      const { contextLength, maxOutputTokens, rateCard } = entry;
      return [entry.id, { contextLength, maxOutputTokens, rateCard, engine, listed: presentModel(entry) }];
    }),
  );
}

function sound<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(String(result.fault));
  return result.value;
}
