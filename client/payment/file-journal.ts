import { chmodSync, closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { SignedPayment } from './authorization.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { checkSums, hourSeconds } from './rules.ts';

/** Only the owner may read the file: until its end, anybody who has an authorization can settle it. */
const mode = 0o600;

/** Marks the file, so that the database of another program is never changed. */
const applicationId = 0x70617931;

const busyTimeoutMs = 5_000;

// Amounts are text, because SQLite's integers have 64 bits.
const schema = `
  PRAGMA application_id = ${applicationId};
  CREATE TABLE signed (total TEXT NOT NULL) STRICT;
  INSERT INTO signed VALUES ('0');
  CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    price TEXT NOT NULL,
    signed_at INTEGER NOT NULL,
    fingerprint TEXT,
    valid_before INTEGER NOT NULL DEFAULT 0,
    payment TEXT,
    taken INTEGER NOT NULL DEFAULT 0
  ) STRICT;`;

/**
 * Opens a journal that survives the process, or makes one. An authorization is on the disk before it is sent. After
 * a crash, an equal request sends the same authorization again. Processes that share the file share its sums. Throws
 * when the file is no journal or cannot be written.
 */
export function openJournal(file: string): Journal {
  const database = openDatabase(file);
  /** The entries that requests of this process use. Others are open, or of a process that crashed or still runs. */
  const inUse = new Set<number>();
  const run = (sql: string, ...values: readonly (string | number)[]) => database.prepare(sql).run(...values);
  const all = (sql: string, ...values: readonly (string | number)[]) => database.prepare(sql).all(...values);
  const total = () => BigInt(String(all('SELECT total FROM signed')[0]?.['total']));
  const addToTotal = (amount: bigint) => run('UPDATE signed SET total = ?', String(total() + amount));

  function enter(id: number, price: bigint): JournalEntry {
    inUse.add(id);
    return {
      record(fingerprint, payment) {
        const { validBefore } = payment.authorization;
        const set = 'UPDATE entry SET fingerprint = ?, valid_before = ?, payment = ? WHERE id = ?';
        const { changes } = run(set, fingerprint, validBefore, JSON.stringify(payment), id);
        if (changes === 0) throw new Error('The signature took more than an hour');
      },
      end(as) {
        inUse.delete(id);
        if (as === 'closed') run('UPDATE entry SET payment = NULL WHERE id = ?', id);
        if (as === 'unsent')
          inTransaction(database, () => {
            // Another process may have sent an entry that it took.
            if (run('DELETE FROM entry WHERE id = ? AND taken = 0', id).changes !== 0) addToTotal(-price);
          });
      },
    };
  }

  return {
    amountSigned: total,
    reserve: (price, rules, nowSeconds) =>
      inTransaction(database, () => {
        const hourAgo = nowSeconds - hourSeconds;
        run(
          'DELETE FROM entry WHERE signed_at <= ? AND (payment IS NULL OR valid_before <= ?)',
          hourAgo,
          nowSeconds,
        );
        const recent = all('SELECT price FROM entry WHERE signed_at > ?', hourAgo);
        const lastHour = recent.reduce((sum, row) => sum + BigInt(String(row['price'])), 0n);
        const refusal = checkSums(price, { total: total(), lastHour }, rules);
        if (refusal !== null) return { ok: false, refusal };
        addToTotal(price);
        const added = run('INSERT INTO entry (price, signed_at) VALUES (?, ?)', String(price), nowSeconds);
        return { ok: true, entry: enter(Number(added.lastInsertRowid), price) };
      }),
    take(fingerprint, nowSeconds) {
      const open =
        'SELECT * FROM entry WHERE fingerprint = ? AND payment IS NOT NULL AND valid_before > ? ORDER BY id';
      const row = all(open, fingerprint, nowSeconds).find(({ id }) => !inUse.has(Number(id)));
      if (row === undefined) return null;
      run('UPDATE entry SET taken = 1 WHERE id = ?', Number(row['id']));
      const payment: SignedPayment = JSON.parse(String(row['payment']));
      return { payment, entry: enter(Number(row['id']), BigInt(String(row['price']))) };
    },
  };
}

function openDatabase(file: string): DatabaseSync {
  try {
    closeSync(openSync(file, 'a', mode));
    const database = new (loadSqlite().DatabaseSync)(file);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    inTransaction(database, () => {
      const { application_id: found } = database.prepare('PRAGMA application_id').get() ?? {};
      const isNew = found !== applicationId;
      if (isNew && database.prepare('SELECT 1 FROM sqlite_schema').get())
        throw new Error('it has other tables');
      // A copy may have another mode.
      chmodSync(file, mode);
      if (isNew) database.exec(schema);
    });
    return database;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The payment journal ${file} cannot be opened: ${why}`, { cause: error });
  }
}

/** Without an import, so that an older Node gets a clear error, and only when it opens a journal. */
function loadSqlite(): typeof import('node:sqlite') {
  const sqlite = process.getBuiltinModule('node:sqlite');
  if (sqlite === undefined) throw new Error(`it needs Node 22.13 or later, and this is ${process.version}`);
  return sqlite;
}

/** One write transaction, so that two processes cannot reserve the same units. */
function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
