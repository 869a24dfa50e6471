import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Authorization } from '../payment/authorization.ts';
import {
  type Address,
  type AtomicAmount,
  atomicAmount,
  type Bytes32,
  type Hex,
  type UnixSeconds,
  unixSeconds,
} from '../vocabulary/units.ts';
import type { BalanceReading, Claim, JournaledTransaction, PaymentRecord, Store } from './store.ts';

/** A ledger of its own for a group of tests. */
export type TestLedger = {
  /** Opens it; called again, one more door to the same data, as a second instance or a restart would. */
  open(): Promise<Store>;
  /** Closes every door and removes the data. */
  remove(): Promise<void>;
};

export type CreateLedger = () => Promise<TestLedger>;

/** A ledger for the tests of one group, and before each of them a payer whom it has never seen. */
export function useLedger(createLedger: CreateLedger): {
  readonly store: Store;
  readonly payer: Address;
  open(): Promise<Store>;
} {
  let ledger: TestLedger;
  let store: Store;
  let payer: Address;
  beforeAll(async () => {
    ledger = await createLedger();
    store = await ledger.open();
  });
  afterAll(() => ledger.remove());
  beforeEach(() => {
    payer = randomAddress();
  });
  return {
    get store() {
      return store;
    },
    get payer() {
      return payer;
    },
    open: () => ledger.open(),
  };
}

export const now = unixSeconds(1_700_000_000);
/** The same in every process, for a test that has two. */
export const asset = `0x${'a5'.repeat(20)}` as Address;

export function randomAddress(): Address {
  return `0x${randomBytes(20).toString('hex')}` as Address;
}
export function randomBytes32(): Bytes32 {
  return `0x${randomBytes(32).toString('hex')}` as Bytes32;
}

/** A claim of a fresh nonce, with whatever a test wants otherwise. */
export function claimOf(
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
  return { asset, signature, fingerprint: 'one', settlementType: 'batch', ...change, authorization };
}

export function readingOf(balance: bigint, block = 100, readAt: UnixSeconds = now): BalanceReading {
  return { balance: atomicAmount(balance), block, readAt };
}

export function transactionBy(relayer: Address, relayerNonce = 0): JournaledTransaction {
  const raw = `0x02${randomBytes(40).toString('hex')}` as Hex;
  return { hash: randomBytes32(), raw, relayer, relayerNonce };
}

/** Reserves, or fails the test. */
export async function reserved(
  store: Store,
  claim: Claim,
  reading: BalanceReading | null,
): Promise<PaymentRecord> {
  const result = await store.reserve(claim, reading, now);
  if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
  return result.payment;
}

/** What the ledger would let a payer spend. A reading of block 0 changes nothing where there was a later one. */
export async function availableTo(store: Store, payer: Address): Promise<AtomicAmount> {
  const result = await store.reserve(claimOf(payer, 1n << 62n), readingOf(0n, 0), now);
  if (result.kind !== 'insufficient') throw new Error(`not insufficient but ${result.kind}`);
  return result.available;
}
