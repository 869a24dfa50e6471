import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { unixSeconds } from '../../types/units.ts';
import { countUnsettled, readQueue, sumOpen, sumRefused } from './completions.ts';
import { migrate } from './migrations.ts';
import { dropOwed, sumOwed } from './owed.ts';
import { readDueTurns, waitingElsewhere } from './proofs.ts';

it('The search for proofs of another proof ledger reads no recorded proof (D-238)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const parameters = Array.from({ length: 4 }, () => ['1:0x00', 2]).flat();
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${waitingElsewhere}`).all(...parameters);
  const reads = plan.map(({ detail }) => String(detail)).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
  // `b` is the batches that are not recorded yet.
  expect(reads.filter((detail) => detail.startsWith('SCAN'))).toEqual([
    'SCAN b USING INDEX proof_batch_open',
  ]);
  expect(reads).toContain('SEARCH p USING INDEX proof_member (batch_id=?)');
});

it('The turns of due proofs are read from the ends of their queue, without sorting it (D-447)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${readDueTurns}`).all('1:0x00', 9, '1:0x00', 9, 9);
  const reads = plan.map(({ detail }) => String(detail)).filter((detail) => / proof( |$)/.test(detail));
  const read = 'SEARCH proof USING INDEX proof_individual (due_at>?)';
  expect(reads).toEqual([read, read]);
});

it.each([
  ['given up', dropOwed, ['SEARCH payment USING INDEX payment_owed (settled_at<?)']],
  ['counted', sumOwed, ['SCAN payment USING INDEX payment_owed']],
] as const)(
  'Owed payments are %s by their own index, which other payments are not in (D-272)',
  (_, sql, reads) => {
    const database = new DatabaseSync(':memory:');
    migrate(database, unixSeconds(1));
    const parameters = sql === dropOwed ? [2, 2] : [];
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
    expect(plan.map(({ detail }) => detail)).toEqual(reads);
  },
);

it('Open payments and debts are counted by their own indexes, which no settled payment is in (D-302)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sumOpen}`).all();
  const reads = plan.map(({ detail }) => String(detail)).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
  expect(reads).toEqual(
    ['reserved', 'executed', 'submitted', 'debt'].map((kind) => `SCAN payment USING INDEX payment_${kind}`),
  );
});

it('The bytes of the completions of refused payments are summed from their own index (D-384)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sumRefused}`).all('undecided');
  expect(plan.map(({ detail }) => detail)).toEqual(['SCAN payment USING INDEX payment_refused_completion']);
});

it('The payments that wait for their settlement are counted by their own indexes (D-386)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${countUnsettled}`).all();
  const reads = plan.map(({ detail }) => String(detail)).filter((detail) => / payment( |$)/.test(detail));
  expect(reads).toEqual([
    'SCAN payment USING INDEX payment_executed',
    'SCAN payment USING INDEX payment_submitted',
  ]);
});

it('The settlement queue reads the executed payments and the latest settled ones only (D-386)', () => {
  const database = new DatabaseSync(':memory:');
  migrate(database, unixSeconds(1));
  const explain = (sql: string, ...parameters: readonly number[]) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...parameters)
      .map(({ detail }) => String(detail))
      .filter((detail) => /^(SCAN|SEARCH) \w+ USING/.test(detail));
  expect(explain(readQueue.unsent)).toEqual([
    'SCAN p USING INDEX payment_executed',
    'SEARCH t USING PRIMARY KEY (payment_id=?)',
  ]);
  expect(explain(readQueue.settled, 1)).toEqual([
    'SEARCH payment USING INDEX payment_completion (settled_at>?)',
  ]);
});
