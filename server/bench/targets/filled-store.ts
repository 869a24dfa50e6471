import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';

const payers = 10_000;
const paymentsPerTransaction = 30;
const proofsPerBatch = 64;
/** The ids of the filled payments start here, above those of real payments and with a new batch. */
const firstId = proofsPerBatch * 10_000;
const rowsPerStatement = 100_000;

/** A new value for some columns of each copied row, in SQL; `i` is the id of the new payment. */
type Changes = Readonly<Record<string, string>>;

const randomHash = "'0x' || lower(hex(randomblob(32)))";

/** A final payment, as the maintenance loop leaves it. Its payers and its nonces are in no order. */
const payment: Changes = {
  id: 'i',
  payer: `printf('0x%040x', (i * 2654435761) % ${payers})`,
  nonce: randomHash,
  state: "'final'",
  completion: 'NULL',
  proof: 'NULL',
  tx_hash: `printf('0x%064x', i / ${paymentsPerTransaction})`,
};
const account: Changes = { payer: "printf('0x%040x', i)" };
const proof: Changes = {
  id: 'i',
  payment_id: 'i',
  proof_id: randomHash,
  due_at: 'coalesce(due_at, inferred_at)',
  batch_id: `i / ${proofsPerBatch}`,
  position: `i % ${proofsPerBatch}`,
};

/**
 * Adds final payments to a SQLite store until this many are stored, with their proofs. They are copies of a
 * payment that a gateway settled and recorded; the first call removes all real ones. No gateway may use the store.
 */
export function fillStore(path: string, stored: number): void {
  // In defensive mode SQLite keeps the write-ahead log, and one transaction would write it all.
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false });
  try {
    // A crash may damage the file. The next run makes it again.
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN;',
    );
    const filled = Number(one(database, `SELECT count(*) AS n FROM payment WHERE id >= ${firstId}`, 'n'));
    const [from, to] = [firstId + filled, firstId + stored];
    const template = Number(one(database, 'SELECT max(payment_id) AS id FROM proof', 'id'));
    for (let start = from; start < to; start += rowsPerStatement) {
      const end = Math.min(start + rowsPerStatement, to);
      copy(database, 'payment', `id = ${template}`, payment, start, end);
      copy(database, 'proof', `payment_id = ${template}`, proof, start, end);
    }
    addBatches(database, Math.ceil(from / proofsPerBatch), Math.ceil(to / proofsPerBatch));
    if (filled === 0) {
      const payer = `payer = (SELECT payer FROM payment WHERE id = ${template})`;
      copy(database, 'payer_account', payer, account, 0, payers);
      removeReal(database);
    }
    database.exec('COMMIT; PRAGMA journal_mode = WAL;');
  } finally {
    database.close();
  }
}

/** Copies one row for each id from `start` up to, and without, `end`. */
function copy(
  database: DatabaseSync,
  table: string,
  where: string,
  changes: Changes,
  start: number,
  end: number,
): void {
  const columns = database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => String(name));
  const values = columns.map((column) => changes[column] ?? `row.${column}`);
  database.exec(
    `${ids(start, end)} INSERT INTO ${table} (${columns.join(', ')})
     SELECT ${values.join(', ')} FROM ids CROSS JOIN (SELECT * FROM ${table} WHERE ${where}) AS row`,
  );
}

/** Adds batches that the proof ledger recorded and that are final. */
function addBatches(database: DatabaseSync, start: number, end: number): void {
  database.exec(
    `${ids(start, end)} INSERT INTO proof_batch (id, formed_at, tx_hash, block_number, block_hash, is_final)
     SELECT i, 1, ${randomHash}, 1, ${randomHash}, 1 FROM ids`,
  );
}

/** A table of the numbers from `start` up to, and without, `end`. */
function ids(start: number, end: number): string {
  return `WITH RECURSIVE ids (i) AS (
    SELECT ${start} WHERE ${start} < ${end} UNION ALL SELECT i + 1 FROM ids WHERE i + 1 < ${end})`;
}

/** Removes what a gateway wrote, because the next gateways have other relayers and proof ledgers. */
function removeReal(database: DatabaseSync): void {
  database.exec(
    `DELETE FROM payment_transaction; DELETE FROM chain_tx; DELETE FROM relayer_lease; DELETE FROM enclave_key;
     DELETE FROM proof_batch WHERE id < ${firstId / proofsPerBatch};
     DELETE FROM proof WHERE id < ${firstId}; DELETE FROM payment WHERE id < ${firstId};`,
  );
}

function one(database: DatabaseSync, sql: string, column: string): unknown {
  return database.prepare(sql).get()?.[column];
}

/** Makes the operating system forget the pages of a file that it has in memory. */
export function dropFileCache(path: string): void {
  execFileSync('dd', [`of=${path}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none']);
}
