import type { SettlementType } from '@paid-inference/contract/types';
import type { Inclusion } from '../types/inclusion.ts';
import type { LedgerName } from '../types/ledger-name.ts';
import type { Address, Bytes32, Hex, UnixSeconds } from '../types/units.ts';
import type { RelayerLease } from './relayer-lease.ts';

/** A proof in the store. The store keeps no proof record of a `private` inference. */
export type SignedProof = {
  readonly proofId: Bytes32;
  readonly inputHash: Bytes32;
  readonly outputHash: Bytes32;
  readonly modelHash: Bytes32;
  readonly timestamp: UnixSeconds;
  readonly signer: Address;
  readonly signature: Hex;
  readonly settlementType: Exclude<SettlementType, 'private'>;
};

/** The proof that is kept with its completion. */
export type KeptProof = {
  /** The value of `X-INFERENCE-PROOF`, kept and dropped together with the completion. */
  readonly header: string;
  /** The statement to record; null in `private` mode. */
  readonly record: SignedProof | null;
};

/** A proof, its batch and its record. */
export type ProofEntry = SignedProof & {
  /** The batch of the proof; null before batching, and in `individual` mode. */
  readonly batchId: number | null;
  /** The transaction that recorded the proof on the proof ledger; null before. */
  readonly inclusion: Inclusion | null;
  /** Why the proof ledger refused the proof when last asked; null where it did not refuse. */
  readonly refusal: string | null;
};

/** A batch, whose members and order are on disk before the batch is sent. So its root can be computed again. */
export type FormedBatch = { readonly id: number; readonly proofs: readonly SignedProof[] };

/** An enclave key that has signed or may sign, with its attestation document from the start. */
export type SignerRecord = {
  readonly address: Address;
  /** JSON of the contract's `Attestation` for the zero nonce. */
  readonly attestation: string;
  readonly isRegistered: boolean;
};

/** The number of proofs that wait for one proof ledger. */
export type ProofBacklog = {
  /** Without the parked proofs. */
  readonly individual: number;
  /** Proofs that are in no batch yet. */
  readonly batch: number;
  /** When the oldest proof without a batch became due; null where there is none. */
  readonly batchSince: UnixSeconds | null;
};

/** Proofs of `individual` mode that cannot be recorded now. */
export type ParkedProofs = {
  readonly proofs: number;
  /** Null where the proof ledger has the proof in an unknown block. */
  readonly refusal: string | null;
};

/** Due proofs that only the gateway of another proof ledger can record. */
export type WaitingElsewhere = {
  readonly proofs: number;
  /** The proof ledger of one of them; null where the attestation of its key names none. */
  readonly ledger: LedgerName | null;
};

/**
 * Due proofs that are read from each end of the queue, so that a long queue takes no longer to read. The oldest must come
 * at some time, and a proof of another payer is among the newest.
 */
export const dueTurnsMin = 200;

/**
 * The proofs in the store. `Store.execute` writes a proof with its completion. `Store.settle` makes the proof
 * due in the transaction that settles its payment, so that exactly the paid inferences are proven. Only proofs
 * whose payment is settled or final are returned here. An operation with a `ledger` concerns only the proofs
 * whose enclave key signs for this proof ledger (D-238). Every promise resolves after the change is on disk. A
 * store that cannot be reached throws `StoreUnavailable`. A write with a lease throws `StaleFence` when another
 * owner holds the lease.
 */
export interface ProofStore {
  /**
   * Called before the key signs, so that the key can be registered after a crash. Adding again changes nothing.
   * `ledger` is the proof ledger for which the key signs.
   */
  addSigner(address: Address, attestation: string, ledger: LedgerName): Promise<void>;
  findSigner(address: Address): Promise<SignerRecord | null>;
  /**
   * Signers that are not registered on the proof ledger yet, oldest first; from the first, or from the one
   * `after`.
   */
  unregisteredSigners(max: number, after?: Address): Promise<readonly SignerRecord[]>;
  markRegistered(address: Address): Promise<void>;

  backlog(ledger: LedgerName): Promise<ProofBacklog>;
  /**
   * Due proofs of `individual` mode that are neither recorded nor parked. The payers take turns, so that one with many
   * purchases delays no other (D-447). Those of a payer come oldest first. Only the oldest and the newest due proofs are read.
   */
  dueIndividual(ledger: LedgerName, max: number): Promise<readonly SignedProof[]>;
  /**
   * Parks proofs of `individual` mode that the proof ledger refuses, so that they delay no others. `refusal` is
   * the reason; null where the ledger has the proof in an unknown block. Idempotent; skips recorded and unknown
   * proofs.
   */
  park(lease: RelayerLease, proofIds: readonly Bytes32[], refusal: string | null): Promise<void>;
  /**
   * Returns due parked proofs, least recently checked first; skips those checked since `checkedBefore`. The
   * proofs count as checked now, and stay parked until they are recorded.
   */
  readParked(
    lease: RelayerLease,
    ledger: LedgerName,
    max: number,
    checkedBefore: UnixSeconds,
  ): Promise<readonly SignedProof[]>;
  /** Counts the due parked proofs up to `max`, with the reason of one of them. */
  parked(ledger: LedgerName, max: number): Promise<ParkedProofs>;
  /** Counts the proofs for other proof ledgers that became due before a time, up to `max`. */
  waitingElsewhere(ledger: LedgerName, dueBefore: UnixSeconds, max: number): Promise<WaitingElsewhere>;
  /**
   * Puts due proofs of `batch` mode that are in no batch into a new batch, oldest first; null where there is
   * none. The members of a batch never change. When the payment of a member can never settle, a batch that is
   * not recorded is dissolved, and its other members are in no batch again.
   */
  formBatch(lease: RelayerLease, ledger: LedgerName, max: number): Promise<FormedBatch | null>;
  /**
   * Batches that are formed and not recorded, oldest first; from the first, or from the one `after`. Skips a
   * batch while the payment of a member is settled no longer.
   */
  openBatches(ledger: LedgerName, max: number, after?: number): Promise<readonly FormedBatch[]>;
  /** Finds a batch, recorded or not; null where there is none, or it was dissolved. */
  findBatch(id: number): Promise<FormedBatch | null>;

  /** Writes that these `individual` proofs are on the proof ledger. Idempotent; skips unknown proofs. */
  recordIndividual(lease: RelayerLease, proofIds: readonly Bytes32[], inclusion: Inclusion): Promise<void>;
  /** Writes that this batch is on the proof ledger. Idempotent; skips a dissolved batch. */
  recordBatch(lease: RelayerLease, batchId: number, inclusion: Inclusion): Promise<void>;
  /**
   * Recorded transactions that are not final yet, lowest block first; from the first, or from the one `after`.
   */
  recordedInclusions(ledger: LedgerName, max: number, after?: Inclusion): Promise<readonly Inclusion[]>;
  /** Marks records up to this block as final. Returns the number of transactions. */
  finaliseRecorded(ledger: LedgerName, block: number): Promise<number>;
  /** Opens again the records of a transaction that a reorganisation removed. */
  reopenRecorded(lease: RelayerLease, txHash: Bytes32): Promise<void>;

  findProof(proofId: Bytes32): Promise<ProofEntry | null>;
}
