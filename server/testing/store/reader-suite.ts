import { afterEach, describe, expect, it } from 'vitest';
import { openPostgresReader } from '../../store/postgres/postgres-reader.ts';
import type { PaymentFilter, StoreReader } from '../../store/reader.ts';
import { openSqliteReader } from '../../store/sqlite/sqlite-reader.ts';
import type { Claim } from '../../store/store.ts';
import { type PaymentState, transitions } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  now,
  randomBytes32,
  type StoreAddress,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

const all: PaymentFilter = {
  from: null,
  until: null,
  states: Object.keys(transitions) as PaymentState[],
};

/** The reading of a store beside the gateways that write it. */
export function describeReader(createTestStore: CreateTestStore): void {
  describe('The reader of a store', () => {
    const database = useTestStore(createTestStore);
    const readers: StoreReader[] = [];
    afterEach(async () => {
      for (const reader of readers.splice(0)) await reader.close();
    });

    async function open(): Promise<StoreReader> {
      const reader = await openReaderOf(database.address);
      if (reader === null) throw new Error('there is no store');
      readers.push(reader);
      return reader;
    }

    it('shows each payment with its outcome, and no signature, request or completion', async () => {
      const payment = await executed(database.store, database.payer, 3n);
      const inclusion = inclusionAt(101);
      await database.store.settle([payment.id], inclusion);
      const reader = await open();
      const { asset, authorization } = payment;
      const found = await reader.find(asset, authorization.from, authorization.nonce);
      expect(found).toEqual({
        id: payment.id,
        state: 'settled',
        asset,
        authorization,
        settlementType: 'batch',
        createdAt: now,
        settledAt: now,
        isOwed: false,
        failure: null,
        txHash: inclusion.txHash,
        block: 101,
      });
    });

    it('sees what a gateway writes after the reader was opened', async () => {
      const reader = await open();
      const { id, asset, authorization } = await executed(database.store, database.payer, 3n);
      const find = () => reader.find(asset, authorization.from, authorization.nonce);
      expect(await find()).toMatchObject({ id, state: 'executed', txHash: null, block: null });
      await database.store.fail(id, 'insufficient_funds', null);
      expect(await find()).toMatchObject({ id, state: 'failed', failure: 'insufficient_funds' });
    });

    it('reads the payments of a time and of some states in pages, each once', async () => {
      const ofThis = async (reader: StoreReader, filter: Partial<PaymentFilter>) => {
        const found: number[] = [];
        for (let after = 0; ; ) {
          const page = await reader.readPage({ ...all, ...filter }, after, 2);
          found.push(
            ...page.filter(({ authorization }) => authorization.from === database.payer).map(({ id }) => id),
          );
          const last = page.at(-1);
          if (last === undefined) return found;
          after = last.id;
        }
      };
      const ids: number[] = [];
      for (let each = 0; each < 5; each++) {
        database.clock.advance(10);
        const seconds = database.clock.steadySeconds();
        const claim = createClaim(database.payer, 1n, { leaseUntil: unixSeconds(seconds + 60) });
        const result = await database.store.reserve(claim, createReading(100n, 100, seconds), seconds);
        if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
        ids.push(result.payment.id);
      }
      await database.store.release(ids[1] ?? 0);
      const [from, until] = [unixSeconds(now + 20), unixSeconds(now + 40)];
      const reader = await open();
      expect(await ofThis(reader, {})).toEqual(ids);
      expect(await ofThis(reader, { from })).toEqual(ids.slice(1));
      expect(await ofThis(reader, { from, until })).toEqual(ids.slice(1, 3));
      expect(await ofThis(reader, { states: ['released', 'failed'] })).toEqual(ids.slice(1, 2));
      const first = await reader.findFirst();
      expect(first?.id).toBeLessThanOrEqual(ids[0] ?? 0);
    });

    it('reads the newest payments in some states, and looks back only so far', async () => {
      const ids: number[] = [];
      for (let each = 0; each < 3; each++) {
        const { id } = await executed(database.store, database.payer, 1n);
        if (each !== 1) await database.store.fail(id, 'insufficient_funds', null);
        ids.push(id);
      }
      const reader = await open();
      const newest = async (readMax: number, max: number) =>
        (await reader.readNewest(['failed', 'expired'], readMax, max)).map(({ id }) => id);
      expect(await newest(3, 5)).toEqual([ids[2], ids[0]]);
      expect(await newest(3, 1)).toEqual([ids[2]]);
      expect(await newest(2, 5)).toEqual([ids[2]]);
    });

    it('finds the payment that an authorization joined, and nothing for an unknown one', async () => {
      const purchase = { hash: randomBytes32(), isRetry: false };
      const create = () => createClaim(database.payer, 3n);
      const [own, joining, unknown] = [create(), create(), create()];
      const reading = createReading(100n);
      const first = await database.store.reserve(own, reading, now, purchase);
      if (first.kind !== 'reserved') throw new Error(`not reserved but ${first.kind}`);
      expect(await database.store.reserve(joining, reading, now, purchase)).toMatchObject({ kind: 'known' });
      const reader = await open();
      const ask = (name: 'find' | 'lookUp', { asset, authorization: { from, nonce } }: Claim) =>
        reader[name](asset, from, nonce);
      const { id } = first.payment;
      expect([await ask('find', own), await ask('lookUp', own)]).toMatchObject([{ id }, { id }]);
      expect([await ask('find', joining), await ask('lookUp', joining)]).toMatchObject([null, { id }]);
      expect([await ask('find', unknown), await ask('lookUp', unknown)]).toEqual([null, null]);
    });

    // The last test, because the clock of the store does not go back.
    it('sums the payments since a time by state, and says where the reading stopped', async () => {
      const reader = await open();
      database.clock.advance(100_000);
      const seconds = database.clock.steadySeconds();
      const ids: number[] = [];
      for (let each = 0; each < 3; each++) {
        const claim = createClaim(database.payer, 1n, { leaseUntil: unixSeconds(seconds + 60) });
        const result = await database.store.reserve(claim, createReading(100n, 100, seconds), seconds);
        if (result.kind !== 'reserved') throw new Error(`not reserved but ${result.kind}`);
        ids.push(result.payment.id);
      }
      const [settled = 0, , last = 0] = ids;
      for (const id of [settled, last]) await database.store.execute(id, '{}', null);
      await database.store.settle([settled, last], inclusionAt(101));
      const sum = (payments: number, amount: bigint) => ({ payments, amount });
      expect(await reader.sumSince(seconds, 100)).toEqual({
        sums: new Map([
          ['settled', sum(2, 2n)],
          ['reserved', sum(1, 1n)],
        ]),
        isAtLeast: false,
      });
      expect(await reader.sumSince(unixSeconds(seconds + 1), 100)).toEqual({
        sums: new Map(),
        isAtLeast: false,
      });
      expect(await reader.sumSince(seconds, 1)).toEqual({
        sums: new Map([['settled', sum(1, 1n)]]),
        isAtLeast: true,
      });
    });
  });
}

async function openReaderOf(address: StoreAddress): Promise<StoreReader | null> {
  return address.driver === 'sqlite'
    ? openSqliteReader(address.path, 1_000)
    : openPostgresReader(address.url);
}
