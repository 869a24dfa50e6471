import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chainId } from '@paid-inference/contract/constants';
import { createKeccak } from './chain/keccak.ts';
import { createPaymentToken } from './chain/token.ts';
import type { Environment } from './config/environment.ts';
import type { Loaded } from './config/load.ts';
import type { Config } from './config/schema.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { answerBrokenRequest } from './http/broken-request.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { type Catalog, loadCatalog, presentModel } from './inference/catalog.ts';
import type { Engines } from './inference/engine.ts';
import { createEngines } from './inference/engines.ts';
import type { Log } from './observe/log.ts';
import { type OpenChain, openChain } from './open-chain.ts';
import { createBalanceReader } from './payment/balance.ts';
import { createSignatureRecovery } from './payment/recovery.ts';
import type { SoldModel } from './request/handlers.ts';
import { createBatchSettler } from './settlement/batch-settler.ts';
import type { Settler } from './settlement/settler.ts';
import { openSqliteStore } from './store/sqlite/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { type Clock, systemClock } from './vocabulary/clock.ts';
import { fail, ok, type Result } from './vocabulary/result.ts';

/** A gateway that listens. */
export type RunningGateway = {
  readonly url: string;
  readonly chain: OpenChain;
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
};

/** Opens every adapter, takes up what the last run left, and listens. Faults are sentences for the operator. */
export async function startGateway(
  options: StartOptions,
): Promise<Result<RunningGateway, readonly string[]>> {
  const { config, log, clock = systemClock } = options;
  const catalog = readCatalog(config);
  if (!catalog.ok) return catalog;
  const engines = options.engines
    ? ok(options.engines)
    : createEngines(catalog.value, config, options.environment);
  if (!engines.ok) return engines;
  const keccak = await createKeccak();
  const opened = await openChain(config, options.relayerKey, keccak);
  if (!opened.ok) return opened;
  const chain = opened.value;
  const store = openStore(config, chain);
  const token = createPaymentToken({ rpc: chain.rpc, asset: chain.asset });
  const settler = createSettler(config, chain, store, log, clock);
  const recovery = await createSignatureRecovery(keccak);
  log.info(
    { recovery: recovery.name, asset: chain.asset, relayer: chain.relayer },
    'ready to verify and settle',
  );

  const server = createServer({
    headersTimeout: config.headersTimeoutMs,
    requestTimeout: config.headersTimeoutMs + config.bodyTimeoutMs,
    // Node looks for late headers only this often, every 30 seconds unless told otherwise.
    connectionsCheckingInterval: Math.min(config.headersTimeoutMs, 1_000),
    // Room for a payment header over its limit, which deserves an answer of ours.
    maxHeaderSize: 4 * config.paymentHeaderBytesMax,
  });
  server.on('clientError', answerBrokenRequest);
  const closeAll = async () => {
    await settler.close();
    await store.close();
    await engines.value.close();
    await chain.close();
  };
  const url = await listen(server, config).catch(async (cause: unknown) => {
    await closeAll();
    throw cause;
  });
  const admitPayer = createRateLimit(config.payerRateLimit);
  let stopping = false;
  const gateway = createGateway({
    clock,
    log,
    store,
    settler,
    recovery,
    digestOf: (authorization) => chain.hasher.authorizationDigest(chain.domainSeparator, authorization),
    readBalance: createBalanceReader(chain.rpc, token, clock),
    isStopping: () => stopping,
    admitAddress: createRateLimit(config.addressRateLimit),
    admitPayer: async (payer) => {
      const admission = await admitPayer(payer);
      return admission.admitted ? null : admission;
    },
    limits: config,
    taskLimits: config,
    bodyLimits: config,
    cors: { allowOrigin: config.corsAllowOrigin },
    models: soldModels(catalog.value, engines.value),
    terms: {
      publicBaseUrl: config.publicBaseUrl ?? url,
      asset: chain.asset,
      payTo: chain.payTo,
      tokenName: chain.tokenName,
      offerValiditySeconds: config.offerValiditySeconds,
    },
    readiness: async () => [
      { name: 'running', trouble: stopping ? 'the gateway is shutting down' : null },
      { name: 'settlement', trouble: await settler.trouble() },
    ],
  });
  server.on('request', gateway.listener);
  return ok({ url, chain, modelIds: catalog.value.list().map((entry) => entry.id), stop });

  async function stop(): Promise<void> {
    stopping = true;
    await drain(server, gateway, config.shutdownTimeoutMs, log);
    await closeAll();
  }
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

/** A devnet's ledger ends with its chain: payments of a chain that is gone are nothing to take up. */
function openStore(config: Config, { devnet }: OpenChain): Store {
  const path = devnet === null ? config.databaseFile : join(config.devnetFolder, 'gateway.db');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (devnet !== null) for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  return openSqliteStore({
    path,
    busyTimeoutMs: config.databaseBusyTimeoutMs,
    balanceAgeMaxSeconds: config.balanceAgeMaxSeconds,
  });
}

const weiPerGwei = 1e9;

function createSettler(config: Config, chain: OpenChain, store: Store, log: Log, clock: Clock): Settler {
  const { rpc, relayer, relayerKey, asset } = chain;
  return createBatchSettler({
    rpc,
    store,
    clock,
    log,
    token: createPaymentToken({ rpc, asset }),
    owner: randomUUID(),
    relayers: [{ address: relayer, key: relayerKey, chainId }],
    lookBackBlocks: config.lookBackBlocks,
    debtBlockSeconds: config.debtBlockSeconds,
    answerKeepSeconds: config.answerKeepSeconds,
    settlementWaitMs: config.settlementWaitMs,
    askLedgerMs: config.ledgerAskMs,
    keepMs: config.ledgerKeepMs,
    fees: {
      maxFeePerGasWeiMax: BigInt(Math.round(config.feeGweiMax * weiPerGwei)),
      priorityFeeWei: BigInt(Math.round(config.priorityFeeGwei * weiPerGwei)),
    },
    limits: {
      batchMax: chain.canBatch ? config.settlementBatchMax : 1,
      pollMs: config.receiptPollMs,
      pollMsMax: config.receiptPollMsMax,
      gatherMs: config.receiptGatherMs,
      idleMs: config.ledgerAskMs,
      resendMs: config.settlementResendMs,
      stuckMs: config.settlementStuckMs,
      leaseSeconds: config.relayerLeaseSeconds,
    },
  });
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

function listen(server: Server, { host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const { address, family, port: bound } = server.address() as AddressInfo;
      resolve(`http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`);
    });
  });
}

async function drain(server: Server, gateway: Gateway, timeoutMs: number, log: Log): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  const patience = AbortSignal.timeout(timeoutMs);
  const late = new Promise((resolve) =>
    patience.addEventListener('abort', () => resolve('late'), { once: true }),
  );
  const ended = await Promise.race([Promise.all([closed, gateway.idle()]), late]);
  if (ended === 'late')
    log.warn({ timeoutMs }, 'work under way did not end in time; the ledger takes it up again');
  server.closeAllConnections();
}
