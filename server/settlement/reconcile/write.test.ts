import { Interface } from 'ethers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Mined } from '../../chain/chain-view.ts';
import artifact from '../../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import { createMemoryLog } from '../../observe/memory-log.ts';
import type { OpenStore, PaymentRecord } from '../../store/store.ts';
import {
  createClaim,
  createReading,
  executed,
  inclusionAt,
  randomAddress,
  reserved,
} from '../../testing/store/claims.ts';
import { createTestSqliteStore, type TestSqliteStore } from '../../testing/store/sqlite-store.ts';
import { manualClock } from '../../types/clock.ts';
import type { Verdict } from './decide.ts';
import { settlePaid, type WritePorts, writeVerdict } from './write.ts';

const token = new Interface(artifact.abi);

let testStore: TestSqliteStore;
let store: OpenStore;

beforeEach(async () => {
  testStore = await createTestSqliteStore();
  store = await testStore.open();
});
afterEach(() => testStore.remove());

/** A transaction that made these payments. */
function minedFor(payments: readonly PaymentRecord[]): Mined {
  const logs = payments.flatMap(({ asset: address, authorization: { from, to, value, nonce } }) => [
    { address, ...token.encodeEventLog('AuthorizationUsed', [from, nonce]) },
    { address, ...token.encodeEventLog('Transfer', [from, to, value]) },
  ]);
  return { ...inclusionAt(101), logs, isReverted: false, sender: null, gas: null };
}

async function settle(payments: readonly PaymentRecord[]) {
  const announce = vi.fn();
  const ports = { store, announce } as Partial<WritePorts> as WritePorts;
  const left = await settlePaid(payments, minedFor(payments), ports);
  return { left, announced: announce.mock.calls.map(([id]) => id) };
}

async function refuse(payment: PaymentRecord, verdict: Verdict) {
  const announce = vi.fn();
  const ports = {
    store,
    announce,
    clock: manualClock(1_800_000_000),
    log: createMemoryLog().log,
    debtBlockSeconds: 60,
  } as Partial<WritePorts> as WritePorts;
  await writeVerdict(payment, verdict, ports);
  return announce.mock.calls;
}

describe('Payments that a gateway with a newer lease settles at the same time (D-427)', () => {
  it('settles those that are open, and announces all', async () => {
    const [one, other] = [
      await executed(store, randomAddress(), 3n),
      await executed(store, randomAddress(), 4n),
    ];
    await store.settle([one.id], inclusionAt(101));
    expect(await settle([one, other])).toEqual({ left: [], announced: [one.id, other.id] });
    expect(await store.find(other.id)).toMatchObject({ state: 'settled' });
    expect(await settle([one, other])).toEqual({ left: [], announced: [one.id, other.id] });
  });

  it('throws the error of the store for a payment that cannot settle', async () => {
    const done = await executed(store, randomAddress(), 3n);
    const held = await reserved(store, createClaim(randomAddress(), 1n), createReading(100n));
    await expect(settle([done, held])).rejects.toThrow('cannot become settled');
    await store.settle([done.id], inclusionAt(101));
    await expect(settle([done, held])).rejects.toThrow('cannot become settled');
  });

  it.each<{ first: string; second: Verdict }>([
    { first: 'expired', second: { kind: 'expired' } },
    { first: 'expired', second: { kind: 'refused', reason: 'invalid_transaction_state', txHash: null } },
    { first: 'failed', second: { kind: 'refused', reason: 'third_party_sender', txHash: null } },
    { first: 'failed', second: { kind: 'expired' } },
  ])('keeps a payment $first that this gateway refuses too ($second.kind)', async ({ first, second }) => {
    const { id } = await executed(store, randomAddress(), 3n);
    await (first === 'expired' ? store.expire(id) : store.fail(id, 'insufficient_funds', null));
    const payment = await store.find(id);
    expect(await refuse(payment as PaymentRecord, second)).toHaveLength(1);
    expect(await store.find(id)).toEqual(payment);
  });

  it('throws the error of the store for a payment that cannot be refused', async () => {
    const held = await reserved(store, createClaim(randomAddress(), 1n), createReading(100n));
    await expect(refuse(held, { kind: 'expired' })).rejects.toThrow('cannot become expired');
  });
});
