import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type AtomicAmount, atomicAmount, type UnixSeconds } from '../../vocabulary/units.ts';
import {
  type BalanceReading,
  type Claim,
  type PaymentState,
  type Reserved,
  type Store,
  StoreUnavailable,
} from '../store.ts';
import { paymentOf, type Row, transactionOf } from './rows.ts';
import { schema } from './schema.ts';

const balanceMax = 1n << 62n;
const byAuthorization = 'SELECT * FROM payment WHERE asset = ? AND payer = ? AND nonce = ?';

export type SqliteStoreOptions = {
  /** A file, or `:memory:`. */
  readonly path: string;
  /** How long another process may hold the file before the store counts as unavailable. */
  readonly busyTimeoutMs: number;
  /** A reading of the balance older than this decides nothing. */
  readonly balanceAgeMaxSeconds: number;
};

/** The embedded ledger: SQLite in WAL mode with synchronous=FULL, so that a commit survives a power cut. */
export function openSqliteStore({ path, busyTimeoutMs, balanceAgeMaxSeconds }: SqliteStoreOptions): Store {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  database.exec(schema);
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();

  return {
    reserve: (claim, reading, now) => atomically(() => reserve(claim, reading, now)),
    execute: (id, answer) =>
      atomically(() => move(id, ['reserved'], 'executed', 'answer = :answer', { answer })),
    submit: (id, { hash, raw, relayer, relayerNonce }) =>
      atomically(() => {
        move(id, ['executed', 'submitted'], 'submitted', 'tx_hash = :hash', { hash });
        run('INSERT INTO chain_tx (hash, payment_id, raw, relayer, relayer_nonce) VALUES (?, ?, ?, ?, ?)', [
          hash,
          id,
          raw,
          relayer,
          relayerNonce,
        ]);
      }),
    settle: (id, hash, block) =>
      atomically(() => {
        move(id, ['executed', 'submitted'], 'settled', 'tx_hash = :hash, block_number = :block', {
          hash,
          block,
        });
        const { asset, payer, amount } = accountOf(id);
        // A balance that was read before this block does not know of the transfer yet.
        run(
          `UPDATE payer_account SET pending = pending - ?1,
             balance = CASE WHEN balance_block < ?2 THEN max(balance - ?1, 0) ELSE balance END,
             last_settled_block = max(last_settled_block, ?2)
           WHERE asset = ?3 AND payer = ?4`,
          [amount, block, asset, payer],
        );
      }),
    release: (id) =>
      atomically(() => {
        move(id, ['reserved'], 'released', 'answer = NULL', {});
        giveBack(id);
      }),
    fail: (id, failure) =>
      atomically(() => {
        move(id, ['executed', 'submitted'], 'failed', 'failure = :failure, answer = NULL', { failure });
        giveBack(id);
      }),
    find: (id) => atomically(() => rowToPayment(one('SELECT * FROM payment WHERE id = ?', [id]))),
    lookUp: (asset, payer, nonce) =>
      atomically(() => rowToPayment(one(byAuthorization, [asset, payer, nonce]))),
    unfinished: () =>
      atomically(() =>
        all("SELECT * FROM payment WHERE state IN ('reserved', 'executed', 'submitted') ORDER BY id", []).map(
          paymentOf,
        ),
      ),
    transactionsOf: (id) =>
      atomically(() =>
        all('SELECT * FROM chain_tx WHERE payment_id = ? ORDER BY rowid DESC', [id]).map(transactionOf),
      ),
    nextRelayerNonce: (relayer) =>
      atomically(() => {
        const row = one('SELECT max(relayer_nonce) AS last FROM chain_tx WHERE relayer = ?', [relayer]);
        return row?.['last'] === null || row === undefined ? 0 : Number(row['last']) + 1;
      }),
    async close() {
      database.close();
    },
  };

  function reserve(claim: Claim, reading: BalanceReading | null, now: UnixSeconds): Reserved {
    const { asset, authorization } = claim;
    const { from: payer, nonce, value } = authorization;
    const known = one(byAuthorization, [asset, payer, nonce]);
    if (known !== undefined && known['state'] !== 'released') {
      return {
        kind: 'known',
        payment: paymentOf(known),
        sameRequest: known['fingerprint'] === claim.fingerprint,
      };
    }
    const available = availableTo(asset, payer, reading, now);
    if (available === null) return { kind: 'balance-unknown' };
    if (available < value) {
      // A payer may have topped up since the balance was read.
      return reading === null ? { kind: 'balance-unknown' } : { kind: 'insufficient', available };
    }
    run('UPDATE payer_account SET pending = pending + ? WHERE asset = ? AND payer = ?', [
      value,
      asset,
      payer,
    ]);
    const row = one(
      `INSERT INTO payment (asset, payer, nonce, amount, pay_to, valid_after, valid_before, signature, fingerprint,
         settlement_type, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'reserved')
       ON CONFLICT (asset, payer, nonce) DO UPDATE SET state = 'reserved', amount = excluded.amount,
         pay_to = excluded.pay_to, valid_after = excluded.valid_after, valid_before = excluded.valid_before,
         signature = excluded.signature, fingerprint = excluded.fingerprint,
         settlement_type = excluded.settlement_type
       RETURNING *`,
      [
        asset,
        payer,
        nonce,
        value,
        authorization.to,
        authorization.validAfter.toString(),
        authorization.validBefore.toString(),
        claim.signature,
        claim.fingerprint,
        claim.settlementType,
      ],
    );
    if (row === undefined) throw new Error('an insert returned no row');
    return { kind: 'reserved', payment: paymentOf(row) };
  }

  /** Balance less everything pending, by the newest reading that may be believed; null when there is none. */
  function availableTo(
    asset: string,
    payer: string,
    reading: BalanceReading | null,
    now: UnixSeconds,
  ): AtomicAmount | null {
    run('INSERT INTO payer_account (asset, payer) VALUES (?, ?) ON CONFLICT DO NOTHING', [asset, payer]);
    if (reading !== null) {
      const balance = reading.balance < balanceMax ? reading.balance : balanceMax;
      // A reading older than the last settlement would count money that is already gone.
      run(
        `UPDATE payer_account SET balance = ?1, balance_block = ?2, balance_read_at = ?3
         WHERE asset = ?4 AND payer = ?5 AND ?2 >= balance_block AND ?2 >= last_settled_block`,
        [balance, reading.block, reading.readAt, asset, payer],
      );
    }
    const account = one('SELECT * FROM payer_account WHERE asset = ? AND payer = ?', [asset, payer]);
    if (account === undefined || (account['balance_block'] as bigint) < 0n) return null;
    if (now - Number(account['balance_read_at']) > balanceAgeMaxSeconds) return null;
    const available = (account['balance'] as bigint) - (account['pending'] as bigint);
    return atomicAmount(available > 0n ? available : 0n);
  }

  function move(
    id: number,
    from: readonly PaymentState[],
    to: PaymentState,
    set: string,
    values: Record<string, SQLInputValue>,
  ): void {
    const states = from.map((state) => `'${state}'`).join(', ');
    const statement = prepare(
      `UPDATE payment SET state = :to, ${set} WHERE id = :id AND state IN (${states})`,
    );
    const { changes } = statement.run({ to, id, ...values });
    if (Number(changes) !== 1)
      throw new Error(`payment ${id} is not ${from.join(' or ')}; it cannot become ${to}`);
  }

  function giveBack(id: number): void {
    const { asset, payer, amount } = accountOf(id);
    run('UPDATE payer_account SET pending = pending - ? WHERE asset = ? AND payer = ?', [
      amount,
      asset,
      payer,
    ]);
  }

  function accountOf(id: number): { asset: string; payer: string; amount: bigint } {
    const row = one('SELECT asset, payer, amount FROM payment WHERE id = ?', [id]);
    if (row === undefined) throw new Error(`there is no payment ${id}`);
    return row as { asset: string; payer: string; amount: bigint };
  }

  /** One transaction; SQLite's own trouble (a full disk, a held file) is not the caller's fault. */
  async function atomically<T>(change: () => T): Promise<T> {
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch (cause) {
      throw new StoreUnavailable('the ledger cannot be written', { cause });
    }
    try {
      const result = change();
      database.exec('COMMIT');
      return result;
    } catch (cause) {
      if (database.isTransaction) database.exec('ROLLBACK');
      if (cause instanceof Error && 'errcode' in cause && !isBrokenConstraint(Number(cause.errcode))) {
        throw new StoreUnavailable('the ledger cannot be written', { cause });
      }
      throw cause;
    }
  }

  function prepare(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      prepared.set(sql, statement);
    }
    return statement;
  }
  function run(sql: string, values: readonly SQLInputValue[]): void {
    prepare(sql).run(...values);
  }
  function one(sql: string, values: readonly SQLInputValue[]): Row | undefined {
    return prepare(sql).get(...values);
  }
  function all(sql: string, values: readonly SQLInputValue[]): Row[] {
    return prepare(sql).all(...values);
  }
}

function rowToPayment(row: Row | undefined): ReturnType<typeof paymentOf> | null {
  return row === undefined ? null : paymentOf(row);
}

/** The low byte of SQLite's extended codes says SQLITE_CONSTRAINT: our statement is wrong, not the file. */
function isBrokenConstraint(errcode: number): boolean {
  return (errcode & 0xff) === 19;
}
