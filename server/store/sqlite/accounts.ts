import type { BalanceReading } from '../store.ts';
import type { Statements } from './database.ts';

const balanceMax = 1n << 62n;

/** A payer's account in one token, and a sum that moves in it. */
export type Posting = { readonly asset: string; readonly payer: string; readonly amount: bigint };

export type Standing = {
  /** Balance less everything pending, under zero too; null when no reading may be believed. */
  readonly free: bigint | null;
  readonly blockedUntil: number;
};

/**
 * Takes note of a reading, where it is newer than what is known, and says how the payer stands. A payer without an account
 * stands as the reading says, and gets none: keys cost nothing (D-140).
 */
export function standingOf(
  { run, one }: Statements,
  { asset, payer }: Omit<Posting, 'amount'>,
  reading: BalanceReading | null,
  readAfter: number,
): Standing {
  if (reading !== null) {
    // A reading older than the last settlement would count money that is already gone.
    run(
      `UPDATE payer_account SET balance = ?1, balance_block = ?2, balance_read_at = ?3
       WHERE asset = ?4 AND payer = ?5 AND ?2 >= last_settled_block
         AND (?2 > balance_block OR ?2 = balance_block AND ?3 >= balance_read_at)`,
      clamped(reading),
      reading.block,
      reading.readAt,
      asset,
      payer,
    );
  }
  const account = one('SELECT * FROM payer_account WHERE asset = ? AND payer = ?', asset, payer);
  if (account === undefined) {
    const isFresh = reading !== null && reading.readAt >= readAfter;
    return { free: isFresh ? clamped(reading) : null, blockedUntil: 0 };
  }
  const blockedUntil = Number(account['blocked_until']);
  if ((account['balance_block'] as bigint) < 0n || Number(account['balance_read_at']) < readAfter) {
    return { free: null, blockedUntil };
  }
  return { free: (account['balance'] as bigint) - (account['pending'] as bigint), blockedUntil };
}

/**
 * What of the pending sum the chain may have taken already: submitted, or claimed by a relayer whose transactions are not ours
 * to write down before they are sent.
 */
export function onTheirWay({ one }: Statements, { asset, payer }: Omit<Posting, 'amount'>): bigint {
  // By the indexes of what is under way, which is little; a payer's history may be long.
  const sums = one(
    `SELECT
       (SELECT coalesce(sum(amount), 0) FROM payment INDEXED BY payment_submitted
         WHERE state = 'submitted' AND asset = ?1 AND payer = ?2) AS submitted,
       (SELECT coalesce(sum(amount), 0) FROM payment INDEXED BY payment_executed
         WHERE state = 'executed' AND lane IS NOT NULL AND asset = ?1 AND payer = ?2) AS claimed`,
    asset,
    payer,
  );
  return (sums?.['submitted'] as bigint) + (sums?.['claimed'] as bigint);
}

/** Makes an account for a payer whose first payment is reserved. */
export function openAccount(
  { run }: Statements,
  { asset, payer }: Omit<Posting, 'amount'>,
  reading: BalanceReading | null,
): void {
  if (reading === null) return;
  run(
    `INSERT INTO payer_account (asset, payer, balance, balance_block, balance_read_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    asset,
    payer,
    clamped(reading),
    reading.block,
    reading.readAt,
  );
}

function clamped({ balance }: BalanceReading): bigint {
  return balance < balanceMax ? balance : balanceMax;
}

export function holdBack({ run }: Statements, { asset, payer, amount }: Posting): void {
  run('UPDATE payer_account SET pending = pending + ? WHERE asset = ? AND payer = ?', amount, asset, payer);
}

export function giveBack({ run }: Statements, { asset, payer, amount }: Posting): void {
  run('UPDATE payer_account SET pending = pending - ? WHERE asset = ? AND payer = ?', amount, asset, payer);
}

/** The tokens moved at this block: a balance that was read before it does not know. */
export function takeFromBalance({ run }: Statements, { asset, payer, amount }: Posting, block: number): void {
  run(
    `UPDATE payer_account SET balance = CASE WHEN balance_block < ?2 THEN balance - ?1 ELSE balance END,
       last_settled_block = max(last_settled_block, ?2)
     WHERE asset = ?3 AND payer = ?4`,
    amount,
    block,
    asset,
    payer,
  );
}

/**
 * The tokens never moved, for the block is gone: the mirror of `takeFromBalance`, called when the payment is settled no
 * longer. A reading of that block or a later one saw a chain that is not, and is forgotten.
 */
export function returnToBalance({ run }: Statements, { asset, payer, amount }: Posting, block: number): void {
  run(
    `UPDATE payer_account SET
       balance = CASE WHEN balance_block < ?2 THEN balance + ?1 ELSE 0 END,
       balance_block = CASE WHEN balance_block < ?2 THEN balance_block ELSE -1 END,
       last_settled_block = (SELECT coalesce(max(block_number), -1) FROM payment
         WHERE asset = ?3 AND payer = ?4 AND state IN ('settled', 'final'))
     WHERE asset = ?3 AND payer = ?4`,
    amount,
    block,
    asset,
    payer,
  );
}

/**
 * What was owed is paid, or pending once more. Called when the payment's own `owed_until` is gone: the payer is held back
 * for what else is owed, and no longer.
 */
export function forgiveDebt({ run }: Statements, { asset, payer, amount }: Posting): void {
  run(
    `UPDATE payer_account SET bad_debt = bad_debt - ?1, blocked_until = coalesce((SELECT max(owed_until) FROM payment
       WHERE asset = ?2 AND payer = ?3 AND owed_until IS NOT NULL), 0)
     WHERE asset = ?2 AND payer = ?3`,
    amount,
    asset,
    payer,
  );
}

/** Work was done and not paid: the payer is held back until then. */
export function recordDebt(
  { run }: Statements,
  { asset, payer, amount }: Posting,
  blockedUntil: number,
): void {
  run(
    `UPDATE payer_account SET bad_debt = bad_debt + ?1, blocked_until = max(blocked_until, ?2)
     WHERE asset = ?3 AND payer = ?4`,
    amount,
    blockedUntil,
    asset,
    payer,
  );
}
