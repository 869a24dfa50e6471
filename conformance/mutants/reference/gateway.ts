import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainId } from '@paid-inference/contract/constants';
import { createTransferCheck } from '../../../server/chain/check-transfer.ts';
import { createKeccak } from '../../../server/chain/keccak.ts';
import { createPaymentToken } from '../../../server/chain/token.ts';
import { type Config, configSchema } from '../../../server/config/schema.ts';
import { createGateway, type GatewayPorts } from '../../../server/gateway.ts';
import { createRateLimit, createRefusalLimit } from '../../../server/http/rate-limit.ts';
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
import { openOverHttp, type Target } from '../target.ts';

/** Returns the ports to change, given the gateway's ports and chain. */
export type PortsChange = (ports: GatewayPorts, chain: OpenChain) => Partial<GatewayPorts>;

/** The reference gateway. It runs until it is disposed. */
export type ReferenceGateway = AsyncDisposable & {
  /** The gateway, with the changed ports if `change` is given. */
  target(change?: PortsChange): Target;
  /** RPC URLs of its two networks. */
  readonly nodes: { readonly chainRpcUrl: string; readonly ledgerRpcUrl: string };
};

/** A placeholder: each gateway replaces it, and only a facilitator would get this URL. */
const publicBaseUrl = 'http://gateway.invalid';

/**
 * Opens the parts that the reference gateway needs: its own chain, its store and its settler. Each mutant is a
 * whole gateway of `createGateway`, the public entry point, which opens and starts nothing. A mutant therefore
 * starts at once.
 */
export async function openReferenceGateway(): Promise<ReferenceGateway> {
  await using opened = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'conformance-mutants-'));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  const config = createConfig(folder);
  const loaded = { config, relayerKeys: [] };
  const [log, clock] = [createLog(config.logLevel), systemClock];
  const keccak = await createKeccak();
  const devnet = await startOwnChain(config);
  opened.defer(() => devnet.stop());
  const chain = sound(await openChain(config, devnet, [], keccak, log));
  opened.defer(() => chain.close());
  const network = sound(await openLedgerNetwork(config, devnet, null, log));
  if (network === null) throw new Error('The devnet has no key for its proof ledger.');
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
    // A forged payment that a mutant accepts must not block later payments.
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
    checkWallet: null,
    canonicalHash,
    prover: proofs.prover,
    attester: proofs.attester,
    proofLedger: proofs.ledger,
    readPayer: retryOnce(readPayer),
    saleIssue: async () => writer.keyIssue(),
    ...permissivePorts(config, chain),
  };
  const closers = opened.move();
  return {
    nodes: { chainRpcUrl: devnet.rpcUrl, ledgerRpcUrl: devnet.ledger.rpcUrl },
    target: (change = () => ({})) => ({
      name: 'the reference gateway',
      async open(publicUrl) {
        // Runs at the same time buy the same requests. With one payer, a run would join the purchase of another (D-258).
        const { privateKey } = await devnet.fundPayer();
        const named = { ...ports, terms: { ...ports.terms, publicBaseUrl: publicUrl } };
        const { listener } = createGateway({ ...named, ...change(named, chain) });
        return openOverHttp(listener, privateKey);
      },
    }),
    [Symbol.asyncDispose]: () => closers.disposeAsync(),
  };
}

function createConfig(folder: string): Config {
  return configSchema.parse({
    devnetFolder: folder,
    addressRateLimit: null,
    payerRateLimit: null,
    refusalRateLimit: null,
    logLevel: 'silent',
    attestation: { provider: 'software' },
    proofBatchAgeSeconds: 1,
    // Two payments at the same time may share a transaction or not. One each gives every run the same report.
    settlementBatchMax: 1,
    // Long timeouts, so that a busy machine does not look like a fault of a mutant.
    balanceAgeMaxSeconds: 60,
    rpcTimeoutMs: 60_000,
    settlementWaitMs: 120_000,
    unsettledWaitMs: 120_000,
  });
}

/** Ports that admit every request and every payment. */
function permissivePorts(config: Config, chain: OpenChain) {
  const { asset, payTo, tokenName } = chain;
  return {
    digestOf: (authorization) => chain.hasher.authorizationDigest(chain.domainSeparator, authorization),
    // A mutant may serve a payment that the token would reject.
    checkTransfer: async () => 'passes',
    isStopping: () => false,
    admitAddress: async () => ({ admitted: true, retryAfterSeconds: 0, headers: {} }),
    admitProbe: createRateLimit(null),
    trustedProxies: 0,
    admitPayer: async () => null,
    refusals: createRefusalLimit(null),
    limits: config,
    taskLimits: config,
    bodyLimits: config,
    cors: { allowOrigin: config.corsAllowOrigin },
    models: soldModels(),
    terms: { publicBaseUrl, asset, payTo, tokenName, offerValiditySeconds: config.offerValiditySeconds },
    readiness: async () => [],
  } satisfies Partial<GatewayPorts>;
}

/** Retries a failed read once: a devnet keeps only the newest block, so a new block can fail a call. */
function retryOnce(read: GatewayPorts['readPayer']): GatewayPorts['readPayer'] {
  return async (...of) => {
    const first = await read(...of);
    return first.ok ? first : read(...of);
  };
}

/** A gateway with a limit of eight requests per minute for each address. */
export const fewRequests: PortsChange = () => ({
  admitAddress: createRateLimit({ requestsMax: 8, windowSeconds: 60 }),
});

/** The shipped catalog, served by one engine with a fixed seed. */
function soldModels(): GatewayPorts['models'] {
  const file = new URL('../../../server/catalog.json', import.meta.url);
  const catalog = sound(loadCatalog(JSON.parse(readFileSync(file, 'utf8'))));
  const engine = createReferenceEngine({ randomSeed: () => 'the same each time' });
  return new Map(
    catalog.list().map((entry) => {
      const { contextLength, maxOutputTokens, inferencesMax, rateCard } = entry;
      const slots = { pool: entry.id, max: () => inferencesMax };
      const limits = { contextLength, maxOutputTokens, slots };
      return [entry.id, { ...limits, rateCard, engine, listed: presentModel(entry) }];
    }),
  );
}

function sound<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(String(result.fault));
  return result.value;
}
