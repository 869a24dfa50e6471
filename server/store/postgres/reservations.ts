import { atomicAmount, type UnixSeconds } from '../../types/units.ts';
import { proofColumns, proofValues } from '../proof-rows.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { outcomeColumns, type Row, toOutcome, wholeNumber } from '../rows.ts';
import type { BalanceReading, Claim, PaymentRecord, Reserved, Store } from '../store.ts';
import { listed, refusal, storeTransitions } from '../transitions.ts';
import type { PostgresPorts } from './ports.ts';

const insertProof = `INSERT INTO paid_inference.proof (payment_id, ${proofColumns})
  SELECT id, $6, $7, $8, $9, $10, $11, $12, $13 FROM moved`;

export function reservationOperations(
  ports: PostgresPorts,
): Pick<Store, 'reserve' | 'lookUp' | 'find' | 'readOutcomes' | 'execute' | 'release' | 'releaseAbandoned'> {
  const {
    connections: { run },
    cipher,
    keyMark,
    time,
  } = ports;
  return {
    async reserve(claim, reading, now) {
      const { rows } = await run(
        `SELECT r.outcome, r.available, r.blocked, (r.kept).* FROM paid_inference.reserve(
           $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) r`,
        ...listParameters(ports, claim, reading, now),
      );
      return toReserved(ports, claim, rows[0] ?? {});
    },

    async lookUp(asset, payer, nonce) {
      const sql = 'SELECT * FROM paid_inference.payment WHERE asset = $1 AND payer = $2 AND nonce = $3';
      return readOrNull(ports, (await run(sql, asset, payer, nonce)).rows);
    },
    find: (id) => find(ports, id),
    async readOutcomes(ids) {
      const sql = `SELECT ${outcomeColumns} FROM paid_inference.payment WHERE id = ANY ($1)`;
      return (await run(sql, ids)).rows.map(toOutcome);
    },

    async execute(id, completion, proof) {
      const record = proof?.record ?? null;
      const { changes } = await run(
        `WITH moved AS (
           UPDATE paid_inference.payment SET state = 'executed', completion = $2, proof = $3, updated_at = $4
           WHERE id = $1 AND state IN (${listed(storeTransitions.execute.from)}) AND lease_until > $4
             AND EXISTS (SELECT 1 FROM paid_inference.completion_key WHERE mark = $5) RETURNING id
         )${record ? `, kept AS (${insertProof})` : ''} SELECT id FROM moved`,
        id,
        cipher.seal(id, completion),
        proof && cipher.seal(id, proof.header, 'proof'),
        time.stamp(),
        keyMark,
        ...(record ? proofValues(record) : []),
      );
      if (changes === 1) return;
      // The first attempt may have succeeded, and the payment may have changed since.
      if ((await find(ports, id))?.completion !== completion)
        throw new LeaseLost(refusal([id], storeTransitions.execute));
    },

    async release(id) {
      if ((await release(ports, [id], null)) === 1) return;
      const kept = await find(ports, id);
      if (kept === null) throw new LeaseLost(refusal([id], storeTransitions.release));
      if (kept.state !== storeTransitions.release.to)
        throw new Error(refusal([id], storeTransitions.release));
    },

    async releaseAbandoned(now) {
      await time.measure();
      const expiredAt = time.toServer(now);
      const { rows } = await run(
        "SELECT id FROM paid_inference.payment WHERE state = 'reserved' AND lease_until <= $1",
        expiredAt,
      );
      return rows.length === 0
        ? 0
        : release(
            ports,
            rows.map(({ id }) => Number(id)),
            expiredAt,
          );
    },
  };
}

async function find(ports: PostgresPorts, id: number): Promise<PaymentRecord | null> {
  const { rows } = await ports.connections.run('SELECT * FROM paid_inference.payment WHERE id = $1', id);
  return readOrNull(ports, rows);
}

async function release(
  { connections: { run }, time }: PostgresPorts,
  ids: readonly number[],
  expiredAt: number | null,
): Promise<number> {
  const { rows } = await run(
    'SELECT paid_inference.release($1, $2, $3, $4) AS released',
    ids,
    storeTransitions.release.from,
    expiredAt,
    time.stamp(),
  );
  return Number(rows[0]?.['released']);
}

function listParameters(
  { time, balanceAgeMaxSeconds }: PostgresPorts,
  claim: Claim,
  reading: BalanceReading | null,
  now: UnixSeconds,
): readonly unknown[] {
  const { from, nonce, value, to, validAfter, validBefore } = claim.authorization;
  const { signature, fingerprint, settlementType, leaseUntil } = claim;
  const { balance = null, block = null, readAt } = reading ?? {};
  const serverNow = time.toServer(now);
  return [
    ...[claim.asset, from, nonce, value, to, validAfter, validBefore],
    ...[signature, fingerprint, settlementType, time.toServer(leaseUntil)],
    ...[balance, block, readAt === undefined ? null : time.toServer(readAt)],
    ...[serverNow - balanceAgeMaxSeconds, serverNow, time.stamp()],
  ];
}

function toReserved({ read, time }: PostgresPorts, claim: Claim, row: Row): Reserved {
  const kind = row['outcome'] as Reserved['kind'];
  switch (kind) {
    case 'reserved':
      return { kind, payment: read(row) };
    case 'known':
      return { kind, payment: read(row), sameRequest: row['fingerprint'] === claim.fingerprint };
    case 'balance-unknown':
    case 'unsettled':
      return { kind };
    case 'insufficient':
      return { kind, available: atomicAmount(wholeNumber(row['available'])) };
    case 'blocked':
      return { kind, until: time.fromServer(Number(row['blocked'])) };
  }
}

function readOrNull({ read }: PostgresPorts, rows: readonly Row[]): PaymentRecord | null {
  return rows[0] === undefined ? null : read(rows[0]);
}
