import { DatabaseSync } from 'node:sqlite';

/**
 * For tests: adds very many refused payments to a closed SQLite store, by default without completions. They were refused ten
 * seconds before their last check.
 */
export function insertRefused(file: string, count: number, checkedAt: number, hasCompletions = false): void {
  const database = new DatabaseSync(file);
  const address = `'0x${'ab'.repeat(20)}'`;
  const word = `'${'0'.repeat(78)}'`;
  database.exec(`INSERT INTO payment (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature,
      fingerprint, settlement_type, state, lease_until, created_at, updated_at, failure, checked_at, completion)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    SELECT ${address}, ${address}, printf('0x%064d', i), 1, ${address}, ${word}, ${word}, '0x', '0x', 'batch', 'failed',
      0, 0, ${checkedAt - 10}, 'insufficient_funds', ${checkedAt}, ${hasCompletions ? "X'00'" : 'NULL'} FROM n`);
  database.close();
}
