import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { TestServer } from '../testing/store/postgres-server.ts';
import type { PaymentState } from '../types/payment-states.ts';

export type StoreKind = 'sqlite' | 'postgres';

/** A payment in the store, read without the gateway's own code. */
export type StoreRow = {
  readonly nonce: string;
  readonly state: PaymentState;
  readonly amount: bigint;
  readonly txHash: string | null;
  readonly failure: string | null;
  /** True while the gateway owes the completion (D-272). */
  readonly isOwed: boolean;
};

/** An empty store for the gateways of one scenario, with access from outside. */
export type FaultStore = {
  readonly kind: StoreKind;
  /** Variables that make a gateway use the store. */
  readonly environment: Readonly<Record<string, string>>;
  payments(): Promise<readonly StoreRow[]>;
  /** Relayer nonces with an open transaction. */
  openNonces(): Promise<number>;
  /** The sum of all reservations. */
  pending(): Promise<bigint>;
  /** Runs other SQL. Returns the columns as text. */
  query(sql: string): Promise<readonly Readonly<Record<string, string | null>>[]>;
  /** Stops the server as a crash would, and starts it again; null for the embedded store. */
  readonly power: TestServer['power'];
  /** A base backup of the server; null for the embedded store, and for a server that the test did not start. */
  readonly backup: TestServer['backup'];
  close(): Promise<void>;
};

export async function createFaultStore(
  kind: StoreKind,
  folder: string,
  server: () => Promise<TestServer>,
): Promise<FaultStore> {
  return kind === 'sqlite' ? sqliteStore(join(folder, 'store.db')) : postgresStore(await server());
}

function sqliteStore(path: string): FaultStore {
  const query: FaultStore['query'] = async (sql) => {
    const database = new DatabaseSync(path, { readBigInts: true, timeout: 2_000 });
    try {
      return database.prepare(sql).all().map(formatColumns);
    } finally {
      database.close();
    }
  };
  return {
    kind: 'sqlite',
    environment: { DATABASE_FILE: path },
    ...createReader(query, 'is_open = 1'),
    power: null,
    backup: null,
    close: async () => undefined,
  };
}

async function postgresStore(server: TestServer): Promise<FaultStore> {
  const url = await server.createDatabase();
  const pool = new pg.Pool({ connectionString: url, max: 1, options: '-c search_path=paid_inference' });
  pool.on('error', () => undefined);
  const query: FaultStore['query'] = async (sql) => (await pool.query(sql)).rows.map(formatColumns);
  return {
    kind: 'postgres',
    environment: { DATABASE_URL: url, COMPLETION_KEY: `0x${randomBytes(32).toString('hex')}` },
    ...createReader(query, 'is_open'),
    power: server.power,
    backup: server.backup,
    close: () => pool.end(),
  };
}

function createReader(
  query: FaultStore['query'],
  isOpen: string,
): Pick<FaultStore, 'payments' | 'openNonces' | 'pending' | 'query'> {
  return {
    query,
    async payments() {
      const rows = await query(
        'SELECT nonce, state, amount, tx_hash, failure, is_owed FROM payment ORDER BY id',
      );
      return rows.map((row) => ({
        nonce: String(row['nonce']),
        state: row['state'] as PaymentState,
        amount: BigInt(row['amount'] ?? 0),
        txHash: row['tx_hash'] ?? null,
        failure: row['failure'] ?? null,
        isOwed: ['1', 'true'].includes(row['is_owed'] ?? ''),
      }));
    },
    async openNonces() {
      const [row] = await query(
        `SELECT count(DISTINCT relayer_nonce) AS nonces FROM chain_tx WHERE ${isOpen}`,
      );
      return Number(row?.['nonces']);
    },
    async pending() {
      const [row] = await query('SELECT coalesce(sum(pending), 0) AS pending FROM payer_account');
      return BigInt(row?.['pending'] ?? 0);
    },
  };
}

function formatColumns(row: object): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
  );
}
