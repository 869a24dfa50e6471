import { computeAddress } from 'ethers';
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
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { feesOf, ownerOf } from './open-settlement.ts';

/** The ledger network that proofs are recorded on: one that the settings name, or the devnet's. */
export type OpenLedgerNetwork = {
  readonly rpc: HttpRpc;
  readonly chainId: number;
  readonly contract: Address;
  /** Writes it, from an account of its own chain. */
  readonly relayer: Relayer;
  close(): Promise<void>;
};

/**
 * Opens the ledger network and asserts that it is the one that proofs are signed for. One that does not answer in time is a
 * warning: proofs wait for it, and answers do not. One that answers as another chain or another contract is a fault, for
 * what is signed for it would prove nothing. Without a key there is nobody to write it: then it is only looked at.
 */
export async function openLedgerNetwork(
  config: Config,
  devnet: Devnet | null,
  proofLedgerKey: Bytes32 | null,
  log: Log,
): Promise<Result<OpenLedgerNetwork | null, readonly string[]>> {
  const settings = devnet?.ledger ?? config.proofLedger;
  if (!settings) throw new Error('no ledger network for a real chain after the settings were checked');
  const key = devnet?.ledger.relayerKey ?? proofLedgerKey;
  const { rpcUrl, chainId, contract } = settings;
  const { rpcTimeoutMs: timeoutMs, rpcAnswerBytesMax: answerBytesMax } = config;
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs, answerBytesMax });
  const relayer = key && { address: computeAddress(key).toLowerCase() as Address, key, chainId };
  const signal = AbortSignal.timeout(startProbeMsMax);
  const brief: Rpc = { call: (method, params, call) => rpc.call(method, params, { ...call, signal }) };
  const found = await checkLedger(brief, { chainId, contract }, relayer?.address ?? null);
  if (found.kind === 'wrong' || relayer === null) {
    await rpc.close();
    return found.kind === 'wrong' ? fail(found.faults) : ok(null);
  }
  // Of one that is silent the writer speaks, for as long as it is.
  for (const role of found.kind === 'right' ? found.missingRoles : [])
    log.warn(
      { contract, relayer: relayer.address },
      `the relayer of the ledger network lacks the role ${role}: ${waitingFor[role]}`,
    );
  return ok({ rpc, chainId, contract, relayer, close: () => rpc.close() });
}

/** How long a start waits for the ledger network at the most: whatever it says later, the writer looks after (D-72). */
const startProbeMsMax = 2_000;

/** What is missing with a role, and that it is sold without all the same (D-72). */
const waitingFor: Readonly<Record<Role, string>> = {
  RELAYER: 'proofs wait for it',
  REGISTRAR:
    'nothing that is sold can be verified until the admin of the contract grants it, or registers the enclave key',
};

const retryMs = 1_000;
/** Signers and transactions that are looked at in one round: so many answers a node gives within a call's deadline. */
const pageMax = 128;

/** Starts what records proofs, by the settings. */
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
    owner: ownerOf(loaded),
    logBlocksMax: config.logBlocksMax,
    fees: feesOf(config),
    limits: {
      batchMax: config.proofBatchMax,
      batchAgeSeconds: config.proofBatchAgeSeconds,
      askMs: config.proofAskMs,
      retryMs: Math.min(retryMs, config.proofRetryMsMax),
      retryMsMax: config.proofRetryMsMax,
      keepMs: config.storeKeepMs,
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
