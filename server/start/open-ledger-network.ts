import { computeAddress } from '../chain/curve.ts';
import { createHttpRpc, type HttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Loaded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Devnet } from '../devnet/devnet.ts';
import type { Log } from '../observe/log.ts';
import { checkLedger, type Role } from '../proof/ledger-writer/check-ledger.ts';
import { type LedgerWriter, startLedgerWriter } from '../proof/ledger-writer/ledger-writer.ts';
import type { Relayer } from '../relayer/nonce.ts';
import type { OpenStore } from '../store/store.ts';
import { noTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { chooseOwner, convertFees } from './open-settlement.ts';

/** The chain of the proof ledger: the one in the settings, or the devnet's. */
export type OpenLedgerNetwork = {
  readonly rpc: HttpRpc;
  readonly chainId: number;
  readonly contract: Address;
  /** The account that writes to the proof ledger. */
  readonly relayer: Relayer;
  close(): Promise<void>;
};

/**
 * Opens the chain of the proof ledger and checks chain id and contract. A timeout is no fault: proofs wait, and
 * responses do not. Another chain or contract is a fault, because proofs signed for it would be worthless.
 * Without a key the function only checks, and returns null.
 */
export async function openLedgerNetwork(
  config: Config,
  devnet: Devnet | null,
  proofLedgerKey: Bytes32 | null,
  log: Log,
  { wrapRpc }: Pick<Telemetry, 'wrapRpc'> = noTelemetry,
): Promise<Result<OpenLedgerNetwork | null, readonly string[]>> {
  const settings = devnet?.ledger ?? config.proofLedger;
  if (!settings) throw new Error('The settings have a real chain and no proof ledger.');
  const key = devnet?.ledger.relayerKey ?? proofLedgerKey;
  const { rpcUrl, chainId, contract } = settings;
  const { rpcTimeoutMs: timeoutMs, rpcResponseBytesMax: responseBytesMax } = config;
  const node = createHttpRpc({ url: rpcUrl, timeoutMs, responseBytesMax });
  const rpc = wrapRpc(node, { chain: 'proofs', place: 1 });
  const relayer = key && { address: computeAddress(key), key, chainId };
  const signal = AbortSignal.timeout(startProbeMsMax);
  const brief: Rpc = { call: (method, params, call) => rpc.call(method, params, { ...call, signal }) };
  const found = await checkLedger(brief, { chainId, contract }, relayer?.address ?? null);
  if (found.kind === 'wrong' || relayer === null) {
    await rpc.close();
    return found.kind === 'wrong' ? fail(found.faults) : ok(null);
  }
  // For a proof ledger that does not respond the ledger writer logs the warning.
  for (const role of found.kind === 'right' ? found.missingRoles : [])
    log.warn(
      { contract, relayer: relayer.address },
      `the relayer of the proof ledger lacks the role ${role}: ${waitingFor[role]}`,
    );
  return ok({ rpc, chainId, contract, relayer, close: () => rpc.close() });
}

/**
 * The longest wait for the proof ledger during the start. Later responses are left to the ledger writer (D-72).
 */
const startProbeMsMax = 2_000;

/** The consequence of a missing role. The gateway sells all the same (D-72). */
export const waitingFor: Readonly<Record<Role, string>> = {
  RELAYER: 'proofs are not recorded before it is granted',
  REGISTRAR:
    'no proof can be verified before the admin of the contract grants it or registers the enclave key',
};

const retryMs = 1_000;
/** Signers and transactions in one round: a node can return so many within the deadline of a call. */
const pageMax = 128;

/** Starts the ledger writer with its settings. */
export function startProofs(
  loaded: Loaded,
  { rpc, contract, relayer }: OpenLedgerNetwork,
  ports: {
    readonly store: OpenStore;
    readonly log: Log;
    readonly clock: Clock;
    /** The enclave key of this start, and the hash of its evidence. */
    readonly signer: Address;
    readonly evidenceHash: Bytes32;
  },
): LedgerWriter {
  const { config } = loaded;
  return startLedgerWriter({
    ...ports,
    rpc,
    contract,
    relayer,
    owner: chooseOwner(loaded),
    logBlocksMax: config.logBlocksMax,
    fees: convertFees(config),
    limits: {
      batchDue: config.proofBatchDue,
      batchMax: config.proofBatchMax,
      batchAgeSeconds: config.proofBatchAgeSeconds,
      storePollMs: config.proofPollMs,
      retryMs: Math.min(retryMs, config.proofRetryMsMax),
      retryMsMax: config.proofRetryMsMax,
      maintenanceMs: config.maintenanceMs,
      pageMax,
      finalityBlocks: config.proofFinalityBlocks,
      leaseSeconds: config.relayerLeaseSeconds,
      pollMs: config.receiptPollMs,
      pollMsMax: config.receiptPollMsMax,
      resendMs: config.settlementResendMs,
      stuckMs: config.settlementStuckMs,
    },
  });
}
