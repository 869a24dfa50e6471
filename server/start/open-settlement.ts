import { randomUUID } from 'node:crypto';
import type { CheckTransfer } from '../chain/check-transfer.ts';
import { headTimeLimits } from '../chain/head-time.ts';
import type { PaymentToken } from '../chain/token.ts';
import type { Loaded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Log } from '../observe/log.ts';
import type { SettlementObserver } from '../observe/observers.ts';
import type { ReadPayer } from '../payment/balance.ts';
import type { FeeLimits } from '../relayer/fees.ts';
import { createBatchSettler } from '../settlement/batch-settler.ts';
import { createFacilitatorSettler } from '../settlement/facilitator/facilitator-settler.ts';
import { createHttpFacilitator, hashFacilitatorUrl } from '../settlement/facilitator/http-facilitator.ts';
import type { Settler } from '../settlement/settler.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import type { OpenChain } from './open-chain.ts';

/** The settler: relayers of the gateway, or a facilitator. */
export type OpenSettlement = { readonly settler: Settler; close(): Promise<void> };

export type SettlementPorts = {
  readonly chain: OpenChain;
  readonly store: Store;
  readonly token: PaymentToken;
  readonly readPayer: ReadPayer;
  readonly checkTransfer: CheckTransfer;
  /** The base URL in offers. */
  readonly publicBaseUrl: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly observer?: SettlementObserver | null;
};

/** Starts the settler. It also settles payments that the store has from before a crash. */
export async function openSettlement(loaded: Loaded, ports: SettlementPorts): Promise<OpenSettlement> {
  const { facilitator } = loaded.config;
  if (facilitator !== undefined) return openFacilitator(loaded, facilitator, ports);
  const settler = await createRelayerSettler(loaded, ports);
  return { settler, close: () => settler.close() };
}

type FacilitatorConfig = NonNullable<Config['facilitator']>;

async function openFacilitator(
  loaded: Loaded,
  settings: FacilitatorConfig,
  ports: SettlementPorts,
): Promise<OpenSettlement> {
  const { config, facilitatorToken = null } = loaded;
  const { chain, publicBaseUrl } = ports;
  const facilitator = createHttpFacilitator({
    ...settings,
    token: facilitatorToken,
    terms: { publicBaseUrl, tokenName: chain.tokenName, offerValiditySeconds: config.offerValiditySeconds },
  });
  const settler = createFacilitatorSettler({
    ...(await commonOptions(loaded, ports)),
    facilitator,
    x402Version: settings.x402Version ?? null,
    relayer: hashFacilitatorUrl(settings.url),
    limits: {
      settlementsMax: settings.settlementsMax,
      attemptsMax: settings.attemptsMax,
      retryMs: settings.retryMs,
      retryMsMax: settings.retryMsMax,
      confirmMs: config.settlementResendMs,
      pollMs: config.receiptPollMs,
      pollMsMax: config.receiptPollMsMax,
      idleMs: config.storePollMs,
      leaseSeconds: config.relayerLeaseSeconds,
    },
  });
  return {
    settler,
    async close() {
      await settler.close();
      await facilitator.close();
    },
  };
}

/**
 * The owner of leases. An embedded store has one process at a time, so the next process is the same owner and
 * need not wait after a crash. Each process of a shared store is an owner of its own.
 */
export function chooseOwner({ store }: Loaded): string {
  return store ? randomUUID() : 'embedded';
}

/** The fee limits in wei, for both chains. */
export function convertFees({ feeGweiMax, priorityFeeGwei }: Config): FeeLimits {
  return {
    maxFeePerGasWeiMax: BigInt(Math.round(feeGweiMax * weiPerGwei)),
    priorityFeeWei: BigInt(Math.round(priorityFeeGwei * weiPerGwei)),
  };
}

const weiPerGwei = 1e9;

async function createRelayerSettler(loaded: Loaded, ports: SettlementPorts): Promise<Settler> {
  const { config } = loaded;
  const { relayers } = ports.chain;
  return createBatchSettler({
    ...(await commonOptions(loaded, ports)),
    observer: ports.observer ?? null,
    relayers,
    fees: convertFees(config),
    limits: {
      batchMax: config.settlementBatchMax,
      pollMs: config.receiptPollMs,
      pollMsMax: config.receiptPollMsMax,
      gatherMs: config.receiptGatherMs,
      idleMs: config.storePollMs,
      resendMs: config.settlementResendMs,
      stuckMs: config.settlementStuckMs,
      noncesMax: config.settlementNoncesMax,
      nextNonceMs: config.settlementNextNonceMs,
      leaseSeconds: config.relayerLeaseSeconds,
    },
  });
}

async function commonOptions(loaded: Loaded, ports: SettlementPorts) {
  const { config } = loaded;
  const { chain, store, token, readPayer, checkTransfer, log, clock } = ports;
  return {
    rpc: chain.rpc,
    store,
    clock,
    log,
    token,
    readPayer,
    checkTransfer,
    headTime: await headTimeLimits(config, chain.rpc),
    asset: chain.asset,
    domainSeparator: chain.domainSeparator,
    canBatch: chain.canBatch,
    payTo: chain.payTo,
    owner: chooseOwner(loaded),
    logBlocksMax: config.logBlocksMax,
    acceptThirdPartySenders: config.acceptThirdPartySenders,
    debtBlockSeconds: config.debtBlockSeconds,
    completionKeepSeconds: config.completionKeepSeconds,
    refusedCompletionKeepSeconds: config.refusedCompletionKeepSeconds,
    refusedCompletionBytesMax: config.refusedCompletionBytesMax,
    settlementWaitMs: config.settlementWaitMs,
    storePollMs: config.storePollMs,
    maintenanceMs: config.maintenanceMs,
  };
}
