import { randomBytes } from 'node:crypto';
import type { SettlementType } from '@paid-inference/contract/types';
import type { KeptProof, ProofStore } from '../../store/proof-store.ts';
import type { Purchase } from '../../store/purchase.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { Row } from '../../store/rows.ts';
import type {
  BalanceReading,
  Claim,
  JournaledTransaction,
  OpenStore,
  PaymentRecord,
  Store,
  StoreChain,
} from '../../store/store.ts';
import type { Authorization } from '../../types/authorization.ts';
import type { manualClock } from '../../types/clock.ts';
import type { Inclusion } from '../../types/inclusion.ts';
import { nameLedger } from '../../types/ledger-name.ts';
import {
  type Address,
  type AtomicAmount,
  atomicAmount,
  type Bytes32,
  type Hex,
  type UnixSeconds,
  unixSeconds,
} from '../../types/units.ts';

/** A separate store for a group of tests. */
export type TestStore = {
  /** The clock of every opened store. */
  readonly clock: ReturnType<typeof manualClock>;
  /** Opens the store. A further call opens the same data again, as a second instance or a restart would. */
  open(options?: TestStoreOptions): Promise<OpenStore>;
  /** Reads rows of the database directly. */
  query(sql: string): Promise<readonly Row[]>;
  /** The address of the store, for another process. */
  readonly address: StoreAddress;
  /** Closes all opened stores and deletes the data. */
  remove(): Promise<void>;
};

/** The options that both drivers have. */
type TestStoreOptions = {
  readonly completionKey?: Uint8Array;
  readonly chain?: StoreChain;
  readonly onFault?: (fault: string) => void;
};

export type CreateTestStore = () => Promise<TestStore>;

/** The address of a store for another process. */
export type StoreAddress =
  | { readonly driver: 'sqlite'; readonly path: string }
  | { readonly driver: 'postgres'; readonly url: string };

/** The proof ledger of every key that signs a proof. */
export const proofLedger = nameLedger(31_338, `0x${'1e'.repeat(20)}` as Address);
export const completion = '{"content":42}';
export const now = unixSeconds(1_700_000_000);
/** The same in every process, for a test with two processes. */
export const asset = `0x${'a5'.repeat(20)}` as Address;

export function randomAddress(): Address {
  return `0x${randomBytes(20).toString('hex')}` as Address;
}
export function randomBytes32(): Bytes32 {
  return `0x${randomBytes(32).toString('hex')}` as Bytes32;
}

/** Creates a claim of a new nonce, with the changes of a test. */
export function createClaim(
  payer: Address,
  value: bigint,
  change: Partial<Omit<Claim, 'authorization'>> & { readonly authorization?: Partial<Authorization> } = {},
): Claim {
  const authorization: Authorization = {
    from: payer,
    to: randomAddress(),
    value: atomicAmount(value),
    validAfter: 0n,
    validBefore: BigInt(now) + 300n,
    nonce: randomBytes32(),
    ...change.authorization,
  };
  const signature = `0x${randomBytes(65).toString('hex')}` as Hex;
  const leaseUntil = unixSeconds(now + 120);
  return {
    asset,
    signature,
    fingerprint: 'one',
    settlementType: 'batch',
    leaseUntil,
    ...change,
    authorization,
  };
}

export function createReading(balance: bigint, block = 100, readAt: UnixSeconds = now): BalanceReading {
  return { balance: atomicAmount(balance), block, readAt };
}

export function transactionBy(relayer: Address, relayerNonce = 0): JournaledTransaction {
  const raw = `0x02${randomBytes(40).toString('hex')}` as Hex;
  return { hash: randomBytes32(), raw, relayer, relayerNonce };
}

export function inclusionAt(block: number, txHash: Bytes32 = randomBytes32()): Inclusion {
  return { txHash, block, blockHash: randomBytes32() };
}

/** Leases a new relayer for a minute. */
export async function leaseFor(store: Store, relayer: Address = randomAddress()): Promise<RelayerLease> {
  const lease = await store.leaseRelayer(relayer, 'this process', unixSeconds(now + 60), now);
  if (lease === null) throw new Error('another process holds the lease');
  return lease;
}

/** Reserves and executes a payment. */
export async function executed(
  store: Store & Pick<ProofStore, 'addSigner'>,
  payer: Address,
  value: bigint,
  balance = 100n,
  proof: KeptProof | null = null,
  ledger = proofLedger,
): Promise<PaymentRecord> {
  const settlementType = proof === null ? 'batch' : (proof.record?.settlementType ?? 'private');
  const payment = await reserved(
    store,
    createClaim(payer, value, { settlementType }),
    createReading(balance),
  );
  if (proof?.record) await store.addSigner(proof.record.signer, '{}', ledger);
  await store.execute(payment.id, completion, proof);
  return { ...payment, state: 'executed', completion, proof: proof?.header ?? null };
}

/** Reserves and owes a payment, for a run with a lease of one minute. */
export async function owed(
  { store, payer, clock }: { readonly store: Store; readonly payer: Address } & Pick<TestStore, 'clock'>,
  settlementType: SettlementType = 'batch',
  purchase?: Purchase,
): Promise<PaymentRecord> {
  const leaseUntil = unixSeconds(clock.steadySeconds() + 60);
  const claim = createClaim(payer, 3n, { settlementType, leaseUntil });
  const result = await store.reserve(claim, createReading(100n), now, purchase);
  if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
  await store.owe(result.payment.id);
  return { ...result.payment, state: 'executed', isOwed: true };
}

/** Creates a proof as a prover passes it to the store. The store does not parse it. */
export function proofIn(settlementType: SettlementType): KeptProof {
  const header = randomBytes(30).toString('base64');
  if (settlementType === 'private') return { header, record: null };
  const [inputHash, outputHash] = [randomBytes32(), randomBytes32()];
  const signed = {
    proofId: randomBytes32(),
    inputHash,
    outputHash,
    modelHash: randomBytes32(),
    timestamp: now,
  };
  const signature = `0x${randomBytes(65).toString('hex')}` as Hex;
  return { header, record: { ...signed, signer: randomAddress(), signature, settlementType } };
}

/** Reserves, executes and submits a payment in its own transaction. */
export async function submitted(
  store: Store & Pick<ProofStore, 'addSigner'>,
  lease: RelayerLease,
  payer: Address,
  value: bigint,
  relayerNonce = 0,
  proof: KeptProof | null = null,
): Promise<{ readonly payment: PaymentRecord; readonly transaction: JournaledTransaction }> {
  const payment = await executed(store, payer, value, 100n, proof);
  const transaction = transactionBy(lease.relayer, relayerNonce);
  await store.submit(lease, [payment.id], transaction);
  return { payment: { ...payment, state: 'submitted', txHash: transaction.hash }, transaction };
}

/** Reserves a payment. Throws when the store does not reserve it. */
export async function reserved(
  store: Store,
  claim: Claim,
  reading: BalanceReading | null,
): Promise<PaymentRecord> {
  const result = await store.reserve(claim, reading, now);
  if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
  return result.payment;
}

/** Returns the amount that a payer may still spend. A reading of block 0 changes nothing after a later one. */
export async function availableTo(store: Store, payer: Address): Promise<AtomicAmount> {
  const result = await store.reserve(createClaim(payer, 1n << 62n), createReading(0n, 0), now);
  if (result.kind !== 'insufficient') throw new Error(`not insufficient but ${result.kind}`);
  return result.available;
}

/** SQL for a submitted payment and its payer's account, as the first version of the store wrote them. */
export function paymentOfTheFirstVersion(payer: Address): string {
  const digits = (number: bigint) => `'${String(number).padStart(78, '0')}'`;
  return `INSERT INTO payer_account (asset, payer, balance, balance_block, balance_read_at, pending)
      VALUES ('${asset}', '${payer}', 100, 100, ${now}, 3);
    INSERT INTO payment (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
        settlement_type, state, lease_until, lane, relayer_nonce, tx_hash, created_at, updated_at)
      VALUES ('${asset}', '${payer}', '${randomBytes32()}', 3, '${randomAddress()}', ${digits(0n)},
        ${digits(BigInt(now) + 300n)}, '0x00', 'one', 'batch', 'submitted', ${now}, '${randomAddress()}', 0,
        '${randomBytes32()}', ${now}, ${now});`;
}
