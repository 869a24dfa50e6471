import { atomicAmount, type UnixSeconds, unixSeconds } from '../../vocabulary/units.ts';
import { listed, moves, refusal } from '../moves.ts';
import type { Row } from '../rows.ts';
import type { BalanceReading, Claim, Reserved } from '../store.ts';
import { giveBack, holdBack, standingOf } from './accounts.ts';
import type { Ledger, LedgerPorts, ReadPayment } from './ledger.ts';
import { postingOf } from './outcomes.ts';

const byAuthorization = 'SELECT * FROM payment WHERE asset = ? AND payer = ? AND nonce = ?';
/** As many as the greatest uint256 has, so that text sorts as the number does. */
const digits = 78;

export function reservationOperations(
  { statements, cipher, stamp, balanceAgeMaxSeconds }: LedgerPorts,
  read: ReadPayment,
): Pick<Ledger, 'reserve' | 'lookUp' | 'find' | 'execute' | 'release' | 'releaseAbandoned'> {
  const { run, one, all } = statements;
  return {
    reserve,
    lookUp: (asset, payer, nonce) => readOrNull(one(byAuthorization, asset, payer, nonce)),
    find: (id) => readOrNull(one('SELECT * FROM payment WHERE id = ?', id)),

    execute(id, answer) {
      const changes = run(
        `UPDATE payment SET state = 'executed', answer = ?, updated_at = ?
         WHERE id = ? AND state IN (${listed(moves.execute.from)})`,
        cipher.seal(id, answer),
        stamp(),
        id,
      );
      if (changes !== 1) throw new Error(refusal([id], moves.execute));
    },

    release(id) {
      const row = one(
        `UPDATE payment SET state = 'released', updated_at = ?
         WHERE id = ? AND state IN (${listed(moves.release.from)}) RETURNING asset, payer, amount`,
        stamp(),
        id,
      );
      if (row === undefined) throw new Error(refusal([id], moves.release));
      giveBack(statements, postingOf(row));
    },

    releaseAbandoned(now) {
      const rows = all(
        `UPDATE payment SET state = 'released', updated_at = ?
         WHERE state = 'reserved' AND lease_until <= ? RETURNING asset, payer, amount`,
        stamp(),
        now,
      );
      for (const row of rows) giveBack(statements, postingOf(row));
      return rows.length;
    },
  };

  function reserve(claim: Claim, reading: BalanceReading | null, now: UnixSeconds): Reserved {
    const { asset, authorization } = claim;
    const { from: payer, nonce, value } = authorization;
    const known = one(byAuthorization, asset, payer, nonce);
    if (known !== undefined && known['state'] !== 'released') {
      return { kind: 'known', payment: read(known), sameRequest: known['fingerprint'] === claim.fingerprint };
    }
    const standing = standingOf(statements, { asset, payer }, reading, now - balanceAgeMaxSeconds);
    if (standing.blockedUntil > now) return { kind: 'blocked', until: unixSeconds(standing.blockedUntil) };
    const { available } = standing;
    if (available === null) return { kind: 'balance-unknown' };
    if (available < value) {
      // A payer may have topped up since the balance was read.
      if (reading === null) return { kind: 'balance-unknown' };
      return { kind: 'insufficient', available: atomicAmount(available) };
    }
    holdBack(statements, { asset, payer, amount: value });
    return { kind: 'reserved', payment: read(insert(claim)) };
  }

  function insert({ asset, authorization, ...claim }: Claim): Row {
    const row = one(
      `INSERT INTO payment (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
         settlement_type, lease_until, state, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'reserved', ?12, ?12)
       ON CONFLICT (asset, payer, nonce) DO UPDATE SET state = 'reserved', amount = excluded.amount,
         pay_to = excluded.pay_to, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
         signature = excluded.signature, fingerprint = excluded.fingerprint,
         settlement_type = excluded.settlement_type, lease_until = excluded.lease_until,
         updated_at = excluded.updated_at
       WHERE state = 'released'
       RETURNING *`,
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

  function readOrNull(row: Row | undefined): ReturnType<ReadPayment> | null {
    return row === undefined ? null : read(row);
  }
}
