import { chainId } from '@paid-inference/contract/constants';
import { createKeccak, type Keccak256 } from '../chain/keccak.ts';
import type { Config } from '../config/schema.ts';
import type { Devnet } from '../devnet/devnet.ts';
import type { Catalog } from '../inference/catalog.ts';
import type { Engines } from '../inference/engine.ts';
import { createEngines } from '../inference/engines.ts';
import type { OpenStore } from '../store/store.ts';
import { type Clock, systemClock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type Listening, listen } from './listen.ts';
import { type OpenChain, openChain, startOwnChain } from './open-chain.ts';
import { type OpenLedgerNetwork, openLedgerNetwork } from './open-ledger-network.ts';
import { type Attested, attest } from './open-proofs.ts';
import { type ClaimedStore, claimStore } from './open-store.ts';
import { readCatalog } from './read-catalog.ts';
import { listenFault } from './start-fault.ts';
import type { ObservedOptions, StartOptions } from './start-options.ts';

/** The external resources of a gateway, opened and checked. */
export type Outside = {
  readonly catalog: Catalog;
  readonly engines: Engines;
  readonly listening: Listening;
  readonly keccak: Keccak256;
  readonly chain: OpenChain;
  readonly network: OpenLedgerNetwork;
  readonly attested: Attested;
  readonly store: OpenStore;
};

type Faults = readonly string[];
type Collect = <T>(result: Result<T, Faults>) => T | null;

/**
 * Opens every resource and continues after a fault if possible, so that the operator gets all faults at once
 * (D-144). Each open resource is on the stack.
 */
export async function openOutside(
  options: ObservedOptions,
  opened: AsyncDisposableStack,
): Promise<Result<Outside, Faults>> {
  const { config, log, clock = systemClock } = options;
  const faults = [...(options.faults ?? [])];
  const collect: Collect = (result) => {
    if (result.ok) return result.value;
    faults.push(...result.fault);
    return null;
  };
  const catalog = collect(readCatalog(config.catalogFile));
  const engines = catalog && collect(openEngines(catalog, options));
  if (engines) opened.defer(() => engines.close());
  // The port comes before the chain and the store.
  const listening = collect(await tryToListen(config));
  if (listening) opened.defer(() => listening.drain(async () => undefined, 0, log));
  const claimed = collect(await claimStore(config, options.store ?? null));
  if (claimed) opened.defer(() => claimed.release());

  let devnet: Devnet | null = null;
  if (config.chain === undefined) {
    // A devnet takes time to start, and a gateway that cannot start does not need one.
    if (faults.length === 0) devnet = collect(await tryToStartDevnet(config));
    if (devnet === null) return fail(faults);
    opened.defer(() => devnet?.stop());
  }
  const keccak = await createKeccak();
  const parts = await openNetworks({ ...options, clock }, devnet, keccak, opened, collect);
  const store = claimed && (await openStore(claimed, parts.chain, options, clock, collect));
  if (store) opened.defer(() => store.close());
  const { chain, network, attested } = parts;
  if (faults.length > 0) return fail(faults);
  if (!catalog || !engines || !listening || !chain || !network || !attested || !store)
    throw new Error('A part of the gateway is missing, and no fault was reported.');
  attested.bindStore(store);
  return ok({ catalog, engines, listening, keccak, chain, network, attested, store });
}

/** Opens the two chains and the attestation in parallel. */
async function openNetworks(
  options: ObservedOptions & { readonly clock: Clock },
  devnet: Devnet | null,
  keccak: Keccak256,
  opened: AsyncDisposableStack,
  collect: Collect,
): Promise<{ chain: OpenChain | null; network: OpenLedgerNetwork | null; attested: Attested | null }> {
  const { config, log, clock, telemetry } = options;
  const ledger = devnet?.ledger ?? config.proofLedger ?? null;
  const [chain, network, attested] = await Promise.all([
    openChain(config, devnet, options.relayerKeys, keccak, log, telemetry),
    ledger && openLedgerNetwork(config, devnet, options.proofLedgerKey ?? null, log, telemetry),
    ledger && attest({ ledger, settings: config.attestation, keccak, clock, log }),
  ]);
  if (chain.ok) opened.defer(() => chain.value.close());
  if (network?.ok) opened.defer(() => network.value?.close());
  return {
    chain: collect(chain),
    network: network && collect(network),
    attested: attested && collect(attested),
  };
}

/** The first open of a store records its chain. Without a chain the store is only read. */
async function openStore(
  claimed: ClaimedStore,
  chain: OpenChain | null,
  { wrapStore = (store) => store, log }: StartOptions,
  clock: Clock,
  collect: Collect,
): Promise<OpenStore | null> {
  const store = collect(await claimed.open(chain && { chainId, asset: chain.asset }, log, clock));
  return store && wrapStore(store);
}

async function tryToListen(config: Config): Promise<Result<Listening, Faults>> {
  try {
    return ok(await listen(config));
  } catch (cause) {
    return fail([listenFault(cause, config)]);
  }
}

async function tryToStartDevnet(config: Config): Promise<Result<Devnet, Faults>> {
  try {
    return ok(await startOwnChain(config));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'unknown';
    return fail([
      `The embedded devnet cannot be started: ${why} A gateway with a chain in its settings needs none.`,
    ]);
  }
}

function openEngines(catalog: Catalog, options: StartOptions): Result<Engines, Faults> {
  if (options.engines) return ok(options.engines);
  return createEngines(catalog, options.config, options.environment, options.log);
}
