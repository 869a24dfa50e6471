import type { SettlementType } from '@paid-inference/contract/types';
import type { Inclusion } from '../types/inclusion.ts';
import type { Address, Bytes32, Hex, UnixSeconds } from '../types/units.ts';
import type { RelayerLease } from './relayer-lease.ts';

/** A proof as the ledger of payments keeps it. Of a `private` inference nothing is kept, so it has none. */
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

/** What is kept of a proof with the answer that it is of. */
export type KeptProof = {
  /** The value of `X-INFERENCE-PROOF`: kept as the answer is, and forgotten with it. */
  readonly header: string;
  /** What is to be recorded; null in `private` mode. */
  readonly record: SignedProof | null;
};

/** A proof and where it stands. */
export type ProofEntry = SignedProof & {
  /** The batch that it was put into; null before, and in `individual` mode. */
  readonly batchId: number | null;
  /** The transaction on the ledger network that recorded it; null before. */
  readonly inclusion: Inclusion | null;
  /** Why the ledger network refused it when it was asked last; null where it did not. */
  readonly refusal: string | null;
};

/** Membership and order of a batch, on disk before anything of it is sent: its root can be computed again. */
export type FormedBatch = { readonly id: number; readonly proofs: readonly SignedProof[] };

/** An enclave key that signed or may have signed, with the attestation document that it started with. */
export type SignerRecord = {
  readonly address: Address;
  /** JSON of the contract's `Attestation` for the zero nonce. */
  readonly attestation: string;
  readonly isRegistered: boolean;
};

/** Proofs that wait for the ledger network. */
export type ProofBacklog = {
  /** Without those that were parked. */
  readonly individual: number;
  /** In no batch yet. */
  readonly batch: number;
  /** When the oldest of those that are in no batch yet became due; null where there is none. */
  readonly batchSince: UnixSeconds | null;
};

/** Proofs of `individual` mode that cannot be recorded as things are. */
export type ParkedProofs = {
  readonly proofs: number;
  /** Null where the ledger network has it, and where is not known. */
  readonly refusal: string | null;
};

/**
 * What the ledger of payments knows of proofs. A proof is written with the answer (`Store.execute`) and becomes due in
 * the transaction that marks its payment settled (`Store.settle`): unpaid work is never proven, paid work never forgotten.
 * Only proofs whose payment is settled or final are handed out here. Every promise resolves after the change is on disk;
 * trouble throws `StoreUnavailable`; what is written with a lease throws `StaleFence` when somebody else holds the lease.
 */
export interface ProofStore {
  /** Before the key signs anything: after a crash somebody must still be able to register it. Adding again changes nothing. */
  addSigner(address: Address, attestation: string): Promise<void>;
  findSigner(address: Address): Promise<SignerRecord | null>;
  /** Signers that the ledger network does not know yet, oldest first; `after` one, or from the first on. */
  unregisteredSigners(max: number, after?: Address): Promise<readonly SignerRecord[]>;
  markRegistered(address: Address): Promise<void>;

  backlog(): Promise<ProofBacklog>;
  /** Due proofs of `individual` mode that no transaction recorded and that are not parked, oldest first. */
  dueIndividual(max: number): Promise<readonly SignedProof[]>;
  /**
   * Parks proofs of `individual` mode, so that they hold up no others: the ledger network refuses them, and why; null
   * where it has them in a block that was not found. Again is allowed; those that are recorded or unknown are passed over.
   */
  park(lease: RelayerLease, proofIds: readonly Bytes32[], refusal: string | null): Promise<void>;
  /**
   * Due proofs that were parked, those first that nobody looked at for longest; those looked at since `checkedBefore` are
   * passed over. They count as looked at now, and are parked until they are recorded.
   */
  readParked(lease: RelayerLease, max: number, checkedBefore: UnixSeconds): Promise<readonly SignedProof[]>;
  /** How many due proofs are parked, counted up to `max`, and why one of them is. */
  parked(max: number): Promise<ParkedProofs>;
  /**
   * Puts due proofs of `batch` mode that are in no batch into one, oldest first; null where there is none. Its members never
   * change. Where one of them can never be paid any more, a batch that is not recorded is dissolved, and the others are in
   * no batch again.
   */
  formBatch(lease: RelayerLease, max: number): Promise<FormedBatch | null>;
  /**
   * Batches that were formed and not recorded, oldest first, `after` an id or from the first on; not while a member's payment
   * is settled no longer.
   */
  openBatches(max: number, after?: number): Promise<readonly FormedBatch[]>;
  /** The same batch again, recorded or not; null where there is none, or it was dissolved. */
  findBatch(id: number): Promise<FormedBatch | null>;

  /** These proofs of `individual` mode are on the ledger network. Again is allowed; those that are unknown are passed over. */
  recordIndividual(lease: RelayerLease, proofIds: readonly Bytes32[], inclusion: Inclusion): Promise<void>;
  /** This batch is on the ledger network. Again is allowed; one that was dissolved is passed over. */
  recordBatch(lease: RelayerLease, batchId: number, inclusion: Inclusion): Promise<void>;
  /** Recorded and not beyond reorganisation yet, lowest block first; `after` one, or from the first on. */
  recordedInclusions(max: number, after?: Inclusion): Promise<readonly Inclusion[]>;
  /** Recorded up to this block is beyond reorganisation. How many transactions. */
  finaliseRecorded(block: number): Promise<number>;
  /** A reorganisation took this transaction away: what it recorded is open again. */
  reopenRecorded(lease: RelayerLease, txHash: Bytes32): Promise<void>;

  findProof(proofId: Bytes32): Promise<ProofEntry | null>;
}
