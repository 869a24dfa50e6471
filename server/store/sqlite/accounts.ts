import type { BalanceReading } from '../store.ts';
import type { Statements } from './database.ts';

const balanceMax = 1n << 62n;

/** A payer's account in one token, and an amount that changes it. */
export type Posting = { readonly asset: string; readonly payer: string; readonly amount: bigint };

export type Standing = {
  /** Balance less everything pending, possibly below zero; null when no reading is valid. */
  readonly free: bigint | null;
  readonly blockedUntil: number;
};

/**
 * Writes a reading that is newer than the stored one, and returns the payer's standing. A payer without an
 * account stands as the reading says and gets no account, because keys cost nothing (D-140).
 */
export function applyReading(
  { run, one }: Statements,
  { asset, payer }: Omit<Posting, 'amount'>,
  reading: BalanceReading | null,
  readAfter: number,
): Standing {
  if (reading !== null) {
    // A reading older than the last settlement would count tokens that were already transferred.
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
 * The part of the pending sum that the chain may have taken already. That is: submitted, or claimed by a
 * relayer whose transactions the gateway cannot write down before they are sent.
 */
export function sumUnsettled({ one }: Statements, { asset, payer }: Omit<Posting, 'amount'>): bigint {
  // Uses the short indexes of open payments, because a payer's history may be long.
  const sums = one(
    `SELECT
       (SELECT coalesce(sum(amount), 0) FROM payment INDEXED BY payment_submitted
         WHERE state = 'submitted' AND asset = ?1 AND payer = ?2) AS submitted,
       (SELECT coalesce(sum(amount), 0) FROM payment INDEXED BY payment_executed
         WHERE state = 'executed' AND relayer IS NOT NULL AND asset = ?1 AND payer = ?2) AS claimed`,
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

export function releaseHold({ run }: Statements, { asset, payer, amount }: Posting): void {
  run('UPDATE payer_account SET pending = pending - ? WHERE asset = ? AND payer = ?', amount, asset, payer);
}

/** Subtracts the tokens that moved at this block from a balance that was read before the block. */
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
 * Undoes `takeFromBalance` for a payment that is settled no longer. Drops a reading of that block or a later
 * one, because a reorganisation removed the block.
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
 * Removes a debt that is paid or pending again. Call it after the payment's own `debt_until` is cleared. The
 * payer stays blocked until the end of the remaining debts.
 */
export function forgiveDebt({ run }: Statements, { asset, payer, amount }: Posting): void {
  run(
    `UPDATE payer_account SET bad_debt = bad_debt - ?1, blocked_until = min(blocked_until, coalesce(
       (SELECT max(debt_until) FROM payment WHERE asset = ?2 AND payer = ?3 AND debt_until IS NOT NULL), 0))
     WHERE asset = ?2 AND payer = ?3`,
    amount,
    asset,
    payer,
  );
}

/** Records the debt of a payer whose completion was not paid, and blocks the payer until `blockedUntil`. */
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
