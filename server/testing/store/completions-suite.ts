import { describe, expect, it } from 'vitest';
import { unixSeconds } from '../../types/units.ts';
import {
  type CreateTestStore,
  completion,
  createClaim,
  createReading,
  executed,
  inclusionAt,
  leaseFor,
  now,
  reserved,
  submitted,
} from './claims.ts';
import { useTestStore } from './use-test-store.ts';

/** Completions in the store. */
export function describeCompletions(createTestStore: CreateTestStore): void {
  describe('A completion', () => {
    const database = useTestStore(createTestStore);

    it('is read as it was written, with any content', async () => {
      for (const text of ['', '{"content":"naïve \\u0000 😀"}', 'x'.repeat(200_000)]) {
        expect(await database.store.find(await executedWith(text))).toMatchObject({ completion: text });
      }
    });

    it('is not stored as text', async () => {
      const id = await executedWith('a sentence that only its payer may read');
      const [row] = await database.query(`SELECT completion FROM payment WHERE id = ${id}`);
      const sealed = Buffer.from(row?.['completion'] as Uint8Array);
      expect(sealed.length).toBeGreaterThan('a sentence that only its payer may read'.length);
      expect(sealed.includes('sentence')).toBe(false);
    });

    it('does not decrypt for another payment, and only that completion is lost', async () => {
      const [id, other] = [await executedWith('one'), await executedWith('other')];
      await database.query(
        `UPDATE payment SET completion = (SELECT completion FROM payment WHERE id = ${other}) WHERE id = ${id}`,
      );
      expect(await database.store.find(id)).toMatchObject({ state: 'executed', completion: null });
      expect(await database.store.find(other)).toMatchObject({ completion: 'other' });
    });

    it('is deleted on delivery, and the payment stays', async () => {
      const { id } = await executed(database.store, database.payer, 1n);
      await database.store.dropCompletion(id);
      expect(await database.store.find(id), 'it is not settled yet').toMatchObject({ completion });
      await database.store.settle([id], inclusionAt(101));
      await database.store.dropCompletion(id);
      expect(await database.store.find(id)).toMatchObject({ state: 'settled', completion: null });
      await database.store.dropCompletion(id);
    });

    it('is deleted some time after the settlement, not before', async () => {
      const [first, second, owed] = [
        await executedWith('1'),
        await executedWith('2'),
        await executedWith('3'),
      ];
      await database.store.settle([first], inclusionAt(101));
      const settledFirst = database.clock.nowSeconds();
      database.clock.advance(10);
      await database.store.settle([second], inclusionAt(102));
      expect(await database.store.dropCompletionsBefore(settledFirst)).toBe(0);
      expect(await database.store.dropCompletionsBefore(unixSeconds(settledFirst + 10))).toBe(1);
      expect(await database.store.find(first)).toMatchObject({ completion: null });
      expect(await database.store.find(second)).toMatchObject({ completion: '2' });
      expect(await database.store.dropCompletionsBefore(unixSeconds(settledFirst + 11))).toBe(1);
      expect(await database.store.find(owed)).toMatchObject({ completion: '3' });
    });

    it('of a payment that a reorganisation reopened is kept', async () => {
      const { payment, transaction } = await submitted(
        database.store,
        await leaseFor(database.store),
        database.payer,
        1n,
      );
      await database.store.settle([payment.id], inclusionAt(101, transaction.hash));
      await database.store.reopen(transaction.hash);
      await database.store.dropCompletionsBefore(unixSeconds(now + 100_000));
      expect(await database.store.find(payment.id)).toMatchObject({ state: 'submitted', completion });
    });

    async function executedWith(text: string): Promise<number> {
      const { id } = await reserved(database.store, createClaim(database.payer, 1n), createReading(100n));
      await database.store.execute(id, text, null);
      return id;
    }
  });
}
