import { beforeEach, describe, expect, it } from 'vitest';
import type { Address } from '../vocabulary/units.ts';
import { describeBalances } from './balances-suite.ts';
import {
  availableTo,
  type CreateLedger,
  claimOf,
  now,
  randomAddress,
  randomBytes32,
  readingOf,
  reserved,
  transactionBy,
  useLedger,
} from './test-claims.ts';
import { describeTransitions } from './transitions-suite.ts';

/**
 * The law of the ledger, for every store alike. A driver's own test calls it with a way to make an empty ledger whose
 * readings of balances are believed for two seconds.
 */
export function describeStore(createLedger: CreateLedger): void {
  describeClaims(createLedger);
  describeTransitions(createLedger);
  describeBalances(createLedger);
  describeJournal(createLedger);
}

function describeClaims(createLedger: CreateLedger): void {
  describe('D-18: a claim', () => {
    const door = useLedger(createLedger);

    it('is kept as it was made, whatever its size', async () => {
      const most = (1n << 256n) - 1n;
      const claim = claimOf(door.payer, 5n, {
        settlementType: 'private',
        authorization: { validAfter: most - 1n, validBefore: most },
      });
      const payment = await reserved(door.store, claim, readingOf(10n));
      const kept = { ...claim, id: payment.id, state: 'reserved', answer: null, txHash: null, failure: null };
      expect(payment).toEqual(kept);
      expect(await door.store.find(payment.id)).toEqual(kept);
    });

    it('made twice is known: by the same request or by another', async () => {
      const claim = claimOf(door.payer, 5n);
      const payment = await reserved(door.store, claim, readingOf(10n));
      expect(await door.store.reserve(claim, readingOf(10n), now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: true,
      });
      const other = { ...claim, fingerprint: 'other' };
      expect(await door.store.reserve(other, null, now)).toEqual({
        kind: 'known',
        payment,
        sameRequest: false,
      });
      expect(await availableTo(door.store, door.payer)).toBe(5n);
    });

    it('is unique by asset, payer and nonce, not by nonce alone', async () => {
      const nonce = randomBytes32();
      const claims = [
        claimOf(door.payer, 1n, { authorization: { nonce } }),
        claimOf(randomAddress(), 1n, { authorization: { nonce } }),
        claimOf(door.payer, 1n, { asset: randomAddress(), authorization: { nonce } }),
      ];
      const ids = await Promise.all(
        claims.map(async (claim) => (await reserved(door.store, claim, readingOf(9n))).id),
      );
      expect(new Set(ids).size).toBe(3);
    });

    it('that is not there is null', async () => {
      expect(await door.store.find(4_711)).toBeNull();
    });

    it('What was written is there behind another door', async () => {
      const first = await door.open();
      const { id } = await reserved(first, claimOf(door.payer, 3n), readingOf(10n));
      await first.execute(id, '{"answer":1}');
      await first.close();
      const reopened = await door.open();
      expect(await reopened.find(id)).toMatchObject({ state: 'executed', answer: '{"answer":1}' });
      expect(await availableTo(reopened, door.payer)).toBe(7n);
    });
  });

  describe('Under concurrency, over several doors', () => {
    const door = useLedger(createLedger);

    it('1000 claims on a balance for 10 are 10 (D-21)', async () => {
      const doors = [door.store, await door.open(), await door.open()];
      const results = await Promise.all(
        Array.from({ length: 1_000 }, (_, at) =>
          (doors[at % doors.length] ?? door.store).reserve(claimOf(door.payer, 7n), readingOf(76n), now),
        ),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10);
      expect(results.filter(({ kind }) => kind === 'insufficient')).toHaveLength(990);
      expect(await availableTo(door.store, door.payer)).toBe(6n);
    });

    it('100 claims of one nonce are one, and 99 are told of it', async () => {
      const doors = [door.store, await door.open()];
      const claim = claimOf(door.payer, 1n);
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, at) => {
          const each = { ...claim, fingerprint: at % 2 === 0 ? 'one' : 'other' };
          return (doors[at % doors.length] ?? door.store).reserve(each, readingOf(1_000n), now);
        }),
      );
      expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'known')).toHaveLength(99);
      expect(await availableTo(door.store, door.payer)).toBe(999n);
    });

    it('one of two that end a payment wins, and it is counted once', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 4n), readingOf(10n));
      await door.store.execute(id, '{}');
      const ends = await Promise.allSettled([
        door.store.settle(id, randomBytes32(), 101),
        door.store.fail(id, 'insufficient_funds'),
        door.store.settle(id, randomBytes32(), 101),
      ]);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect([6n, 10n]).toContain(await availableTo(door.store, door.payer));
    });
  });
}

function describeJournal(createLedger: CreateLedger): void {
  describe('The journal of transactions', () => {
    const door = useLedger(createLedger);
    let relayer: Address;
    beforeEach(() => {
      relayer = randomAddress();
    });

    it('lists those of a payment, the newest first', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 1n), readingOf(10n));
      await door.store.execute(id, '{}');
      const [first, second] = [transactionBy(relayer, 4), transactionBy(relayer, 5)];
      await door.store.submit(id, first);
      await door.store.submit(id, second);
      expect(await door.store.transactionsOf(id)).toEqual([second, first]);
      expect(await door.store.find(id)).toMatchObject({ state: 'submitted', txHash: second.hash });
      expect(await door.store.transactionsOf(id + 1)).toEqual([]);
    });

    it('knows the next nonce of each relayer', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 1n), readingOf(10n));
      await door.store.execute(id, '{}');
      expect(await door.store.nextRelayerNonce(relayer)).toBe(0);
      await door.store.submit(id, transactionBy(relayer, 7));
      await door.store.submit(id, transactionBy(relayer, 3));
      expect(await door.store.nextRelayerNonce(relayer)).toBe(8);
      expect(await door.store.nextRelayerNonce(randomAddress())).toBe(0);
    });

    it('takes no transaction twice', async () => {
      const { id } = await reserved(door.store, claimOf(door.payer, 1n), readingOf(10n));
      await door.store.execute(id, '{}');
      const transaction = transactionBy(relayer);
      await door.store.submit(id, transaction);
      await expect(door.store.submit(id, transaction)).rejects.toThrow();
      expect(await door.store.transactionsOf(id)).toEqual([transaction]);
    });
  });
}
