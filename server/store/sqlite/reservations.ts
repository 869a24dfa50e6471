import { atomicAmount, type UnixSeconds, unixSeconds } from '../../types/units.ts';
import type { Purchase } from '../purchase.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { forgottenRequest, outcomeColumns, type Row, toOutcome } from '../rows.ts';
import type { BalanceReading, Claim, PaymentRecord, Reserved } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import { applyReading, holdBack, openAccount, releaseHold, sumUnsettled } from './accounts.ts';
import type { ReadPayment, SyncStore, SyncStorePorts } from './operations.ts';
import { toPosting } from './outcomes.ts';
import { writeProof } from './proof-life.ts';
import { findKnown, recordJoin, recordPurchase } from './purchases.ts';

/** The digits of the greatest uint256, so that text sorts like the number. */
const digits = 78;

export function reservationOperations(
  ports: SyncStorePorts,
  read: ReadPayment,
): Pick<
  SyncStore,
  | 'reserve'
  | 'lookUp'
  | 'find'
  | 'readOutcomes'
  | 'execute'
  | 'release'
  | 'releaseAbandoned'
  | 'pruneReleased'
> {
  const { statements, cipher, health, stamp } = ports;
  const { run, one, all } = statements;
  const find = (id: number) => readOrNull(one('SELECT * FROM payment WHERE id = ?', id), read);
  return {
    reserve: (claim, ...parameters) => reserve(ports, read, claim, ...parameters),
    lookUp: (asset, payer, nonce, purchase) =>
      readOrNull(findKnown(ports, { asset, payer, nonce }, purchase), read),
    find,
    readOutcomes: (ids) =>
      all(
        `SELECT ${outcomeColumns} FROM payment WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      ).map(toOutcome),

    execute(id, completion, proof) {
      health.assertLinked();
      const changes = run(
        `UPDATE payment SET state = 'executed', completion = ?1, proof = ?2, updated_at = ?3
         WHERE id = ?4 AND state IN (${listed(storeTransitions.execute.from)}) AND lease_until > ?3`,
        cipher.seal(id, completion),
        proof && cipher.seal(id, proof.header, 'proof'),
        stamp(),
        id,
      );
      if (changes === 1 && proof?.record) writeProof(statements, id, proof.record);
      // The first attempt may have succeeded, and the payment may have changed since.
      if (changes !== 1 && find(id)?.completion !== completion)
        throw new LeaseLost(refusal([id], storeTransitions.execute));
    },

    release(id) {
      const row = one(
        `UPDATE payment SET state = 'released', ${forgottenRequest}, updated_at = ?
         WHERE id = ? AND state IN (${listed(storeTransitions.release.from)}) RETURNING asset, payer, amount`,
        stamp(),
        id,
      );
      if (row !== undefined) return releaseHold(statements, toPosting(row));
      const kept = find(id);
      if (kept === null) throw new LeaseLost(refusal([id], storeTransitions.release));
      if (kept.state !== storeTransitions.release.to)
        throw new Error(refusal([id], storeTransitions.release));
    },

    releaseAbandoned(now) {
      const rows = all(
        `UPDATE payment SET state = 'released', ${forgottenRequest}, updated_at = ?
         WHERE state = 'reserved' AND lease_until <= ? RETURNING asset, payer, amount`,
        stamp(),
        now,
      );
      for (const row of rows) releaseHold(statements, toPosting(row));
      return rows.length;
    },

    pruneReleased: (before, max) =>
      run(
        `DELETE FROM payment WHERE id IN (
           SELECT id FROM payment p INDEXED BY payment_released
           WHERE state = 'released' AND updated_at < ?1 AND lease_until < ?1
             AND NOT EXISTS (SELECT 1 FROM payment_transaction t WHERE t.payment_id = p.id)
           ORDER BY updated_at LIMIT ?2)`,
        before,
        max,
      ),
  };
}

function reserve(
  ports: SyncStorePorts,
  read: ReadPayment,
  claim: Claim,
  reading: BalanceReading | null,
  now: UnixSeconds,
  purchase?: Purchase,
): Reserved {
  const { statements, health, balanceAgeMaxSeconds } = ports;
  const { run } = statements;
  const { asset, authorization } = claim;
  const { from: payer, nonce, value } = authorization;
  const known = findKnown(ports, { asset, payer, nonce }, purchase);
  if (known !== undefined && known['state'] !== 'released') {
    const sameRequest = known['fingerprint'] === claim.fingerprint;
    // A key may name another request. Then nothing joins.
    if (known['nonce'] !== nonce && sameRequest) recordJoin(ports, claim, known);
    return { kind: 'known', payment: read(known), sameRequest };
  }
  health.assertLinked();
  const standing = applyReading(statements, { asset, payer }, reading, now - balanceAgeMaxSeconds);
  if (standing.blockedUntil > now) return { kind: 'blocked', until: unixSeconds(standing.blockedUntil) };
  const { free } = standing;
  if (free === null) return { kind: 'balance-unknown' };
  if (free < value) {
    // The payer may have received tokens since the balance was read.
    if (reading === null) return { kind: 'balance-unknown' };
    if (value - free <= sumUnsettled(statements, { asset, payer })) return { kind: 'unsettled' };
    return { kind: 'insufficient', available: atomicAmount(free > 0n ? free : 0n) };
  }
  // The new claim gets a new id, so that a late holder of the last claim cannot write to the new one.
  if (known !== undefined) run('DELETE FROM payment WHERE id = ?', known['id'] as bigint);
  openAccount(statements, { asset, payer }, reading);
  holdBack(statements, { asset, payer, amount: value });
  const reserved = insert(ports, claim);
  if (purchase !== undefined) recordPurchase(ports, purchase, reserved);
  return { kind: 'reserved', payment: read(reserved) };
}

function insert(
  { statements: { one }, stamp }: SyncStorePorts,
  { asset, authorization, ...claim }: Claim,
): Row {
  const row = one(
    `INSERT INTO payment (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
       settlement_type, lease_until, state, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'reserved', ?12, ?12) RETURNING *`,
    asset,
    authorization.from,
    authorization.nonce,
    authorization.value,
    authorization.to,
    String(authorization.validAfter).padStart(digits, '0'),
    String(authorization.validBefore).padStart(digits, '0'),
    claim.signature,
    claim.fingerprint,
    claim.settlementType,
    claim.leaseUntil,
    stamp(),
  );
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

function readOrNull(row: Row | undefined, read: ReadPayment): PaymentRecord | null {
  return row === undefined ? null : read(row);
}
