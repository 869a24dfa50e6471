import { undecidedFailure } from '../../types/payment-states.ts';
import { owedRunsMax } from '../owed.ts';
import { joinKeepSeconds, type Purchase, type PurchaseStore } from '../purchase.ts';
import type { Row } from '../rows.ts';
import type { Claim } from '../store.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

export function purchaseOperations({
  statements: { run },
}: SyncStorePorts): Pick<SyncStore, keyof PurchaseStore> {
  return {
    recordDeliveries(ids) {
      run(
        `UPDATE purchase SET is_delivered = 1
         WHERE payment_id IN (SELECT value FROM json_each(?)) AND NOT is_delivered`,
        JSON.stringify(ids),
      );
    },

    pruneJoins: (now, max) =>
      run(
        `DELETE FROM joined WHERE (asset, payer, nonce) IN (
           SELECT asset, payer, nonce FROM joined j WHERE kept_until < ? AND NOT EXISTS (
             SELECT 1 FROM payment p WHERE p.id = j.payment_id AND (p.completion IS NOT NULL OR p.is_owed))
           ORDER BY kept_until LIMIT ?)`,
        now,
        max,
      ),
  };
}

/**
 * Finds the payment of an authorization: its own, the one that it joined, or the one that it would join for this
 * purchase. Returns its own released payment last.
 */
export function findKnown(
  { statements: { one }, stamp }: SyncStorePorts,
  { asset, payer, nonce }: { readonly asset: string; readonly payer: string; readonly nonce: string },
  { hash, isRetry }: Purchase = noPurchase,
): Row | undefined {
  const own = 'SELECT id FROM payment WHERE asset = ?1 AND payer = ?2 AND nonce = ?3';
  return one(
    `SELECT * FROM payment WHERE id = coalesce(
       (${own} AND state <> 'released'),
       (SELECT payment_id FROM joined WHERE asset = ?1 AND payer = ?2 AND nonce = ?3),
       (SELECT p.id FROM purchase u JOIN payment p ON p.id = u.payment_id
        WHERE u.hash = ?4 AND (?5 OR NOT u.is_delivered) AND (p.state = 'reserved' AND p.lease_until > ?6
          OR (p.state IN ('executed', 'submitted', 'settled', 'final') OR p.failure = '${undecidedFailure}')
            AND (p.completion IS NOT NULL OR p.is_owed AND (p.owed_runs < ${owedRunsMax} OR p.lease_until > ?6)))),
       (${own}))`,
    asset,
    payer,
    nonce,
    hash,
    Number(isRetry),
    stamp(),
  );
}

/** No payment has this purchase. */
const noPurchase: Purchase = { hash: '', isRetry: false };

/** Records that an authorization joined a payment. It will never be charged. */
export function recordJoin(
  { statements: { run }, health, stamp }: SyncStorePorts,
  { asset, authorization: { from, nonce, validBefore } }: Claim,
  { id }: Row,
): void {
  health.assertLinked();
  const keptUntil = BigInt(stamp() + joinKeepSeconds);
  run(
    `INSERT INTO joined (asset, payer, nonce, payment_id, kept_until) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    asset,
    from,
    nonce,
    id as bigint,
    validBefore < keptUntil ? validBefore : keptUntil,
  );
}

/** Records the purchase of a new payment, so that later authorizations can join it. */
export function recordPurchase(
  { statements: { run } }: SyncStorePorts,
  { hash }: Purchase,
  { id }: Row,
): void {
  run('INSERT OR REPLACE INTO purchase (hash, payment_id) VALUES (?, ?)', hash, id as bigint);
}
