import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chainId } from '@paid-inference/contract/constants';
import { createTransferCheck } from './chain/check-transfer.ts';
import { createKeccak } from './chain/keccak.ts';
import { createPaymentToken } from './chain/token.ts';
import type { Environment } from './config/environment.ts';
import type { Loaded } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { createGateway } from './gateway.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { type Catalog, loadCatalog, presentModel } from './inference/catalog.ts';
import type { Engines } from './inference/engine.ts';
import { createEngines } from './inference/engines.ts';
import { listen } from './listen.ts';
import type { Log } from './observe/log.ts';
import { type OpenChain, openChain } from './open-chain.ts';
import { claimLedger } from './open-ledger.ts';
import { type OpenLedgerNetwork, openLedgerNetwork, startProofs } from './open-ledger-network.ts';
import { openProofs } from './open-proofs.ts';
import { openSettlement } from './open-settlement.ts';
import { createPayerReader } from './payment/balance.ts';
import { createSignatureRecovery } from './payment/recovery.ts';
import { createCanonicalHash } from './proof/canonical-hash.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import type { SoldModel } from './request/handlers.ts';
import type { OpenStore } from './store/store.ts';
import { type Clock, systemClock } from './vocabulary/clock.ts';
import { fail, ok, type Result } from './vocabulary/result.ts';
import type { Bytes32 } from './vocabulary/units.ts';

/** A gateway that listens. */
export type RunningGateway = {
  /** What offers name. */
  readonly url: string;
  /** What it is bound to. */
  readonly listensAt: string;
  readonly chain: OpenChain;
  readonly ledgerNetwork: OpenLedgerNetwork;
  readonly modelIds: readonly string[];
  /** Takes nothing new, lets what is under way end within its deadline, and closes everything. */
  stop(): Promise<void>;
};

export type StartOptions = Loaded & {
  readonly environment: Environment;
  readonly log: Log;
  readonly clock?: Clock;
  /** In place of those that the catalog names, for those who embed the gateway with an engine of their own. */
  readonly engines?: Engines;
  /** Comes between the gateway and its ledger, for those who embed the gateway and must see, or end, every step of a payment. */
  readonly wrapStore?: (store: OpenStore) => OpenStore;
};

/** Opens every adapter, takes up what the last run left, and listens. Faults are sentences for the operator. */
export async function startGateway(
  options: StartOptions,
): Promise<Result<RunningGateway, readonly string[]>> {
  await using opened = new AsyncDisposableStack();
  const started = await assemble(options, opened);
  if (!started.ok) return started;
  // From here on it is closed by `stop`, not by the end of this function.
  const closers = opened.move();
  return ok({
    ...started.value.running,
    async stop() {
      await started.value.drain();
      await closers.disposeAsync();
    },
  });
}

type Assembled = {
  readonly running: Omit<RunningGateway, 'stop'>;
  readonly drain: () => Promise<void>;
};

/** Everything that is opened is put on the stack, so that a fault half-way leaves nothing open. */
async function assemble(
  options: StartOptions,
  opened: AsyncDisposableStack,
): Promise<Result<Assembled, readonly string[]>> {
  const { config, log, clock = systemClock, wrapStore = (store) => store } = options;
  const catalog = readCatalog(config);
  if (!catalog.ok) return catalog;
  const engines = options.engines
    ? ok(options.engines)
    : createEngines(catalog.value, config, options.environment);
  if (!engines.ok) return engines;
  opened.defer(() => engines.value.close());
  const listening = await listen(config);
  opened.defer(() => listening.drain(async () => undefined, 0, log));
  const ledger = await claimLedger(config, options.ledger ?? null);
  if (!ledger.ok) return ledger;
  opened.defer(() => ledger.value.release());

  const keccak = await createKeccak();
  const chosen = await openChain(config, options.relayerKeys, keccak, log);
  if (!chosen.ok) return chosen;
  const chain = chosen.value;
  opened.defer(() => chain.close());
  const network = await openLedgerNetwork(config, chain.devnet, options.proofLedgerKey ?? null, log);
  if (!network.ok) return network;
  opened.defer(() => network.value.close());
  const store = wrapStore(await ledger.value.open({ chainId, asset: chain.asset }, log, clock));
  opened.defer(() => store.close());
  const canonicalHash = createCanonicalHash(keccak);
  const proofs = await openProofs({
    ledger: network.value,
    settings: config.attestation,
    store,
    keccak,
    canonicalHash,
    clock,
    log,
  });
  if (!proofs.ok) return proofs;
  const token = createPaymentToken({ rpc: chain.rpc, asset: chain.asset });
  const { rpc, asset, canBatch } = chain;
  const readPayer = createPayerReader({ rpc, token, asset, canBatch }, clock);
  const publicBaseUrl = config.publicBaseUrl ?? listening.url;
  const checkTransfer = createTransferCheck(rpc, asset);
  const settlementPorts = { chain, store, token, readPayer, checkTransfer, publicBaseUrl, log, clock };
  const settlement = await openSettlement(options, settlementPorts);
  opened.defer(() => settlement.close());
  const { settler } = settlement;
  const { signer } = proofs.value.prover;
  const evidenceHash = proofs.value.attester.boot.evidenceHash as Bytes32;
  const writer = startProofs(options, network.value, { store, log, clock, signer, evidenceHash });
  opened.defer(() => writer.close(0));
  const recovery = await createSignatureRecovery(keccak);
  const admitPayer = createRateLimit(config.payerRateLimit);
  let stopping = false;
  const models = soldModels(catalog.value, engines.value);
  const readiness = createReadiness({
    ...config,
    store,
    settler,
    proofs: writer,
    models,
    isStopping: () => stopping,
    clock,
    log,
  });
  const gateway = createGateway({
    clock,
    log,
    store,
    settler,
    recovery,
    canonicalHash,
    prover: proofs.value.prover,
    saleIssue: readiness.saleIssue,
    attester: proofs.value.attester,
    proofLedger: proofs.value.ledger,
    digestOf: (authorization) => chain.hasher.authorizationDigest(chain.domainSeparator, authorization),
    readPayer,
    checkTransfer,
    isStopping: () => stopping,
    admitAddress: createRateLimit(config.addressRateLimit),
    admitProbe: createRateLimit(config.probeRateLimit),
    trustedProxies: config.trustedProxies,
    admitPayer: async (payer) => {
      const admission = await admitPayer(payer);
      return admission.admitted ? null : admission;
    },
    limits: config,
    taskLimits: config,
    bodyLimits: config,
    cors: { allowOrigin: config.corsAllowOrigin },
    models,
    terms: {
      publicBaseUrl,
      asset: chain.asset,
      payTo: chain.payTo,
      tokenName: chain.tokenName,
      offerValiditySeconds: config.offerValiditySeconds,
    },
    readiness: readiness.report,
  });
  listening.attach(gateway.listener);
  await reportStart(chain, recovery.name, readiness, log);
  const modelIds = catalog.value.list().map((entry) => entry.id);
  return ok({
    running: {
      url: publicBaseUrl,
      listensAt: listening.url,
      chain,
      ledgerNetwork: network.value,
      modelIds,
    },
    async drain() {
      stopping = true;
      const deadline = clock.monotonicMs() + config.shutdownTimeoutMs;
      await listening.drain(gateway.idle, config.shutdownTimeoutMs, log);
      await writer.close(Math.max(0, deadline - clock.monotonicMs()));
    },
  });
}

/** A gateway that is not ready takes no money, but its operator should not learn that from a buyer. */
async function reportStart(
  { asset, relayers }: OpenChain,
  recovery: string,
  readiness: Readiness,
  log: Log,
): Promise<void> {
  log.info({ recovery, asset, relayers: relayers.map(({ address }) => address) }, 'listening');
  for (const { name, trouble } of await readiness.report())
    if (trouble !== null) log.warn({ check: name }, `not ready: ${trouble}`);
}

function readCatalog({ catalogFile }: Config): Result<Catalog, readonly string[]> {
  const file = catalogFile ?? fileURLToPath(new URL('./catalog.json', import.meta.url));
  try {
    const catalog = loadCatalog(JSON.parse(readFileSync(file, 'utf8')));
    return catalog.ok ? catalog : fail(catalog.fault.map((fault) => `${file}: ${fault}`));
  } catch (cause) {
    return fail([`${file}: cannot be read as JSON: ${cause instanceof Error ? cause.message : 'unknown'}`]);
  }
}

function soldModels(catalog: Catalog, engines: Engines): ReadonlyMap<string, SoldModel> {
  return new Map(
    catalog.list().map((entry) => {
      const { contextLength, maxOutputTokens, rateCard } = entry;
      const engine = engines.engineFor(entry.id);
      return [entry.id, { contextLength, maxOutputTokens, rateCard, engine, listed: presentModel(entry) }];
    }),
  );
}
