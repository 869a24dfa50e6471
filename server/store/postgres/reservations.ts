import { atomicAmount, type UnixSeconds } from '../../types/units.ts';
import { joinKeepSeconds, type Purchase } from '../purchase.ts';
import { LeaseLost } from '../relayer-lease.ts';
import { outcomeColumns, type Row, toOutcome, wholeNumber } from '../rows.ts';
import type { BalanceReading, Claim, PaymentRecord, Reserved, Store } from '../store.ts';
import { refusal, storeTransitions } from '../transitions.ts';
import type { Connections } from './connections.ts';
import { executeOperation } from './execute.ts';
import { versioned } from './functions.ts';
import type { PostgresPorts } from './ports.ts';
import { unnest } from './unnest.ts';

/** The parameters of the function `reserve`, in its order, with their types. */
const reserveColumns = [
  ...['asset text', 'payer text', 'nonce text', 'amount numeric', 'pay_to text', 'valid_after numeric'],
  ...['valid_before numeric', 'signature text', 'fingerprint text', 'settlement_type text'],
  ...['lease_until bigint', 'balance numeric', 'block bigint', 'read_at bigint', 'read_after bigint'],
  ...['now_seconds bigint', 'stamp bigint', 'purchase text', 'is_retry boolean', 'joined_until bigint'],
].map((column) => column.split(' ') as [name: string, type: string]);

const reserveSql = `SELECT c.place, r.outcome, r.available, r.blocked, (r.kept).*
  FROM ${unnest(reserveColumns, 'c')},
  LATERAL ${versioned('reserve')}(${reserveColumns.map(([name]) => `c.${name}`).join(', ')}) r`;

const lookUpColumns = reserveColumns.filter(([name]) =>
  ['asset', 'payer', 'nonce', 'stamp', 'purchase', 'is_retry'].includes(name),
);
const ownId = `SELECT o.id FROM paid_inference.payment o
  WHERE o.asset = c.asset AND o.payer = c.payer AND o.nonce = c.nonce`;
const lookUpSql = `SELECT c.place, p.* FROM ${unnest(lookUpColumns, 'c')}
  JOIN paid_inference.payment p ON p.id = coalesce(
    (${ownId} AND o.state <> 'released'),
    (SELECT j.payment_id FROM paid_inference.joined j
     WHERE j.asset = c.asset AND j.payer = c.payer AND j.nonce = c.nonce),
    ${versioned('find_joinable')}(c.purchase, c.is_retry, c.stamp),
    (${ownId}))`;

export function reservationOperations(
  ports: PostgresPorts,
): Pick<
  Store,
  | 'reserve'
  | 'lookUp'
  | 'find'
  | 'readOutcomes'
  | 'execute'
  | 'release'
  | 'releaseAbandoned'
  | 'pruneReleased'
> {
  const {
    connections: { run, group },
    time,
    read,
  } = ports;
  // Each group locks the accounts in order, as `lock_payments` does, so that no deadlock occurs.
  const reserve = group<readonly unknown[], Row>((runGroup, items) => inOrder(runGroup, reserveSql, items));
  const lookUp = group<readonly unknown[], Row | undefined>((runGroup, items) =>
    inOrder(runGroup, lookUpSql, items),
  );
  return {
    async reserve(claim, reading, now, purchase) {
      const parameters = listParameters(ports, claim, reading, now, purchase);
      return toReserved(ports, claim, await reserve(parameters));
    },
    async lookUp(asset, payer, nonce, purchase) {
      const { hash = null, isRetry = false } = purchase ?? {};
      const row = await lookUp([asset, payer, nonce, time.stamp(), hash, isRetry]);
      return row === undefined ? null : read(row);
    },
    find: (id) => find(ports, id),
    async readOutcomes(ids) {
      const sql = `SELECT ${outcomeColumns} FROM paid_inference.payment WHERE id = ANY ($1)`;
      return (await run(sql, ids)).rows.map(toOutcome);
    },

    execute: executeOperation(ports),

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

    async pruneReleased(before, max) {
      const { changes } = await run(
        `DELETE FROM paid_inference.payment WHERE id IN (
           SELECT p.id FROM paid_inference.payment p
           WHERE p.state = 'released' AND p.updated_at < $1 AND p.lease_until < $1
             AND NOT EXISTS (SELECT 1 FROM paid_inference.payment_transaction t WHERE t.payment_id = p.id)
           ORDER BY p.updated_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
        time.toServer(before),
        max,
      );
      return changes;
    },
  };
}

/** Runs a statement for several items, sorted by their first columns, and returns the row of each item. */
async function inOrder(
  run: Connections['run'],
  sql: string,
  items: readonly (readonly unknown[])[],
): Promise<readonly Row[]> {
  const keys = items.map((item) => item.slice(0, 3).join(' '));
  const order = items
    .map((_, at) => at)
    .sort((one, other) => ((keys[one] ?? '') < (keys[other] ?? '') ? -1 : 1));
  const columns = (items[0] ?? []).map((_, column) => order.map((at) => items[at]?.[column]));
  const rows: Row[] = [];
  for (const row of (await run(sql, ...columns)).rows) rows[order[Number(row['place']) - 1] ?? 0] = row;
  return rows;
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
    `SELECT ${versioned('release')}($1, $2, $3, $4) AS released`,
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
  { hash, isRetry }: Partial<Purchase> = {},
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
    ...[hash ?? null, isRetry ?? false, time.stamp() + joinKeepSeconds],
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
