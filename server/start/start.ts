import { setTimeout as after } from 'node:timers/promises';
import { createTransferCheck } from '../chain/check-transfer.ts';
import { createPaymentToken } from '../chain/token.ts';
import { createWalletCheck } from '../chain/wallet-signature.ts';
import type { Config } from '../config/schema.ts';
import { urlWarnings } from '../config/url-warnings.ts';
import { createGateway, type Gateway, type GatewayPorts } from '../gateway.ts';
import { type Catalog, presentModel } from '../inference/catalog.ts';
import type { Engines } from '../inference/engine.ts';
import { createPayerReader } from '../payment/balance.ts';
import { createSignatureRecovery } from '../payment/recovery.ts';
import { createCanonicalHash } from '../proof/canonical-hash.ts';
import type { SoldModel } from '../request/handlers.ts';
import { checkRecipient } from '../settlement/check-recipient.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { systemClock } from '../types/clock.ts';
import { ok, type Result } from '../types/result.ts';
import type { Bytes32 } from '../types/units.ts';
import { findSlots } from './find-slots.ts';
import type { OpenChain } from './open-chain.ts';
import { readOpenFilesMax, warnOfOpenFiles } from './open-files.ts';
import { type OpenLedgerNetwork, startProofs } from './open-ledger-network.ts';
import { openOperatorSite } from './open-operator-site.ts';
import { type Outside, openOutside } from './open-outside.ts';
import { openProofs } from './open-proofs.ts';
import { openRateLimits } from './open-rate-limits.ts';
import { openSettlement } from './open-settlement.ts';
import { openSite } from './open-site.ts';
import { openTelemetry } from './open-telemetry.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import type { ObservedOptions, StartOptions } from './start-options.ts';

/** How long a stop waits for the leases of owed runs to end, after the shutdown timeout. */
const runsStopMs = 1_000;

/** A gateway that listens. */
export type RunningGateway = {
  /** The URL in offers. */
  readonly url: string;
  /** The URL of the bound socket. */
  readonly listensAt: string;
  /** The URL of the admin address, which has the metrics; null without one. */
  readonly adminUrl: string | null;
  readonly chain: OpenChain;
  readonly ledgerNetwork: OpenLedgerNetwork;
  readonly modelIds: readonly string[];
  /** Accepts no more work, lets work in progress end within the shutdown timeout, and closes every resource. */
  stop(): Promise<void>;
};

/**
 * Opens every resource, continues the work of the last run, and listens. Faults are sentences for the operator.
 */
export async function startGateway(
  options: StartOptions,
): Promise<Result<RunningGateway, readonly string[]>> {
  await using opened = new AsyncDisposableStack();
  const started = await assemble(options, opened);
  if (!started.ok) return started;
  // From here on `stop` closes the resources, not the end of this function.
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

/** Puts every opened resource on the stack, so that a fault leaves none open. */
async function assemble(
  given: StartOptions,
  opened: AsyncDisposableStack,
): Promise<Result<Assembled, readonly string[]>> {
  const options = await openTelemetry(given, opened);
  const { config, log, clock = systemClock, telemetry } = options;
  const outside = await openOutside(options, opened);
  if (!outside.ok) return outside;
  const { catalog, engines, listening, keccak, chain, network, store } = outside.value;
  const publicBaseUrl = config.publicBaseUrl ?? listening.url;
  const { writer, ...sales } = await openSales(options, outside.value, publicBaseUrl, opened);
  const recovery = createSignatureRecovery(keccak);
  const { warning: rateLimitWarning, ...rateLimits } = openRateLimits(config, { store, clock, log });
  let stopping = false;
  const models = soldModels(catalog, engines, config, telemetry.wrapEngine);
  const readiness = createReadiness({
    ...config,
    store,
    settler: sales.settler,
    proofs: writer,
    models,
    isStopping: () => stopping,
    rateLimitWarning,
    clock,
    log,
  });
  const { provider, hardware } = sales.attester.boot;
  const attestation = { provider, hardware };
  const site = await openSite(options, { ...outside.value, attestation, publicBaseUrl }, opened);
  const gateway = createGateway({
    clock,
    log,
    store,
    ...telemetry.wrapPorts({ ...sales, recovery }),
    checkWallet: config.contractWallets ? createWalletCheck(chain.rpc) : null,
    saleIssue: readiness.saleIssue,
    digestOf: (authorization) => chain.hasher.authorizationDigest(chain.domainSeparator, authorization),
    isStopping: () => stopping,
    ...rateLimits,
    trustedProxies: config.trustedProxies,
    findSiteRoute: site,
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
    requestObserver: telemetry.requestObserver,
    requestTracer: telemetry.requestTracer,
  });
  telemetry.watch({ readiness, models, store, network });
  await openOperatorSite(options, { readiness, models, store, network }, opened);
  listening.attach(gateway.listener);
  if (config.chain !== undefined) await checkRecipient({ ...chain, store, log });
  await reportStart(options, outside.value, { url: publicBaseUrl, recovery: recovery.name, readiness });
  const modelIds = catalog.list().map((entry) => entry.id);
  return ok({
    running: {
      url: publicBaseUrl,
      listensAt: listening.url,
      adminUrl: telemetry.adminUrl,
      chain,
      ledgerNetwork: network,
      modelIds,
    },
    drain() {
      stopping = true;
      return drain(options, { listening, gateway, writer });
    },
  });
}

/** Lets work in progress end within the shutdown timeout. */
async function drain(
  { config, log, clock = systemClock }: StartOptions,
  {
    listening,
    gateway,
    writer,
  }: Pick<Outside, 'listening'> & Pick<OpenSales, 'writer'> & { gateway: Gateway },
): Promise<void> {
  const deadline = clock.monotonicMs() + config.shutdownTimeoutMs;
  const untilDeadline = () => Math.max(0, deadline - clock.monotonicMs());
  await listening.drain(gateway.idle, config.shutdownTimeoutMs, log);
  await Promise.race([gateway.stopRuns(), after(runsStopMs, undefined, { ref: false })]);
  await Promise.race([gateway.writeDeliveries(), after(untilDeadline(), undefined, { ref: false })]);
  await writer.close(untilDeadline());
}

type OpenSales = Pick<
  GatewayPorts,
  'settler' | 'canonicalHash' | 'prover' | 'attester' | 'proofLedger' | 'readPayer' | 'checkTransfer'
> & { readonly writer: ReturnType<typeof startProofs> };

/** Starts to settle payments and to record proofs; both are on the stack. */
async function openSales(
  options: ObservedOptions,
  { keccak, chain, network, attested, store }: Outside,
  publicBaseUrl: string,
  opened: AsyncDisposableStack,
): Promise<OpenSales> {
  const { log, clock = systemClock, telemetry } = options;
  const canonicalHash = createCanonicalHash(keccak);
  const proofs = await openProofs(attested, { store, keccak, canonicalHash, clock, log });
  const token = createPaymentToken({ rpc: chain.rpc, asset: chain.asset });
  const { rpc, asset, canBatch } = chain;
  const readPayer = createPayerReader({ rpc, token, asset, canBatch }, clock);
  const checkTransfer = createTransferCheck(rpc, asset);
  const observer = telemetry.settlementObserver;
  const settlementPorts = {
    chain,
    store,
    token,
    readPayer,
    checkTransfer,
    publicBaseUrl,
    log,
    clock,
    observer,
  };
  const settlement = await openSettlement(options, settlementPorts);
  opened.defer(() => settlement.close());
  const { prover, attester, ledger: proofLedger } = proofs;
  const { signer } = prover;
  const evidenceHash = attester.boot.evidenceHash as Bytes32;
  const writer = startProofs(options, network, { store, log, clock, signer, evidenceHash });
  opened.defer(() => writer.close(0));
  const { settler } = settlement;
  return { settler, canonicalHash, prover, attester, proofLedger, readPayer, checkTransfer, writer };
}

/** Logs the start and every health issue, so that the operator need not learn them from a buyer. */
async function reportStart(
  { config, warnings = [], log }: StartOptions,
  { listening, chain, network }: Outside,
  { url, recovery, readiness }: { url: string; recovery: string; readiness: Readiness },
): Promise<void> {
  const { asset, payTo } = chain;
  const relayers = chain.relayers.map(({ address }) => address);
  const proofLedger = { chainId: network.chainId, contract: network.contract };
  const { url: listensAt } = listening;
  log.info({ listensAt, url, asset, payTo, relayers, proofLedger, recovery }, 'listening');
  const openFiles = warnOfOpenFiles(config.connectionsMax, readOpenFilesMax());
  for (const warning of [...warnings, ...urlWarnings(config), ...openFiles]) log.warn(warning);
  for (const { name, healthIssue } of await readiness.report())
    if (healthIssue !== null) log.warn({ check: name }, `not ready: ${healthIssue}`);
}

function soldModels(
  catalog: Catalog,
  engines: Engines,
  { upstreamConnections }: Config,
  wrapEngine: Telemetry['wrapEngine'],
): ReadonlyMap<string, SoldModel> {
  return new Map(
    catalog.list().map((entry) => {
      const { contextLength, maxOutputTokens, rateCard } = entry;
      const own = engines.engineFor(entry.id);
      const engine = wrapEngine(own, entry.id);
      const limits = { contextLength, maxOutputTokens, slots: findSlots(entry, own, upstreamConnections) };
      return [entry.id, { ...limits, rateCard, engine, listed: presentModel(entry) }];
    }),
  );
}
