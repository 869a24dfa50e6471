import pg from 'pg';
import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { createDiskWatch } from './disk-watch.ts';
import { isConnectionSound, isContention, readCode, translate } from './faults.ts';

export type ConnectionLimits = {
  /** The most connections that this process opens. */
  readonly connectionsMax: number;
  /** How many operations may wait for a connection; the store rejects one more at once. */
  readonly waitingMax: number;
  /** How long an operation waits for a new or a free connection. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take on the server, locks included. After a timeout its outcome is unknown. */
  readonly operationTimeoutMs: number;
  /** How long an idle connection is kept. */
  readonly idleTimeoutMs: number;
};

type Statement = { readonly text: string; readonly values: readonly unknown[] };
type Outcome = { readonly rows: readonly Row[]; readonly changes: number };

export type Connections = {
  /** Runs one statement, which is one transaction. Retries the statement a few times after a conflict. */
  run(text: string, ...values: readonly unknown[]): Promise<Outcome>;
  /** Runs several statements on one snapshot of the store. Read only. */
  atOneMoment(statements: readonly Statement[]): Promise<readonly Outcome[]>;
  /** Rejects after a full disk, until a new page can be written. */
  proveSpace(): Promise<void>;
  /** Runs any work on a connection of its own, and closes that connection after. */
  alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const attemptsMax = 4;
/** The server ends a slow statement first. This extra time is for a server that does not respond. */
const graceMs = 500;
const applicationName = 'paid-inference gateway';

export function openConnections(url: string, limits: ConnectionLimits): Connections {
  const { connectionsMax, waitingMax, connectTimeoutMs, operationTimeoutMs, idleTimeoutMs } = limits;
  const common = {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: operationTimeoutMs,
    idle_in_transaction_session_timeout: operationTimeoutMs,
    keepAlive: true,
  };
  const pool = new pg.Pool({
    ...common,
    max: connectionsMax,
    idleTimeoutMillis: idleTimeoutMs,
    query_timeout: operationTimeoutMs + graceMs,
  });
  // The pool replaces a connection that breaks while idle.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | null = null;
  let underWay = 0;
  let onIdle: (() => void) | null = null;
  const disk = createDiskWatch((work) => borrow(work, true));
  return { run, atOneMoment, proveSpace, alone: (work) => onOwnConnection(common, work), close };

  async function run(text: string, ...values: readonly unknown[]): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await borrow((client) => ask(client, { text, values }));
      } catch (cause) {
        disk.note(cause);
        if (!isContention(cause) || attempt === attemptsMax) throw translate(cause);
      }
    }
  }

  async function atOneMoment(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    try {
      return await borrow(async (client) => {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const outcomes: Outcome[] = [];
        for (const statement of statements) outcomes.push(await ask(client, statement));
        await client.query('COMMIT');
        return outcomes;
      }, true);
    } catch (cause) {
      throw translate(cause);
    }
  }

  async function proveSpace(): Promise<void> {
    try {
      await disk.prove();
    } catch (cause) {
      throw translate(cause);
    }
  }

  async function borrow<T>(work: (client: pg.PoolClient) => Promise<T>, inTransaction = false): Promise<T> {
    if (closing !== null) throw new StoreUnavailable('the store is closed');
    if (pool.waitingCount >= waitingMax) {
      throw new StoreUnavailable(`${waitingMax} operations already wait for the store`);
    }
    let client: pg.PoolClient | null = null;
    underWay++;
    try {
      client = await pool.connect();
      const result = await work(client);
      client.release();
      return result;
    } catch (cause) {
      // An open transaction is closed with its connection.
      client?.release(inTransaction || !isConnectionSound(cause));
      throw cause;
    } finally {
      if (--underWay === 0) onIdle?.();
    }
  }

  function close(): Promise<void> {
    closing ??= drain();
    return closing;
  }

  /** Waits for all operations: a pool that ends drops the operations that wait for a connection. */
  async function drain(): Promise<void> {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await pool.end();
  }
}

async function onOwnConnection<T>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } catch (cause) {
    // An error of the work itself is a sentence for the operator and stays as it is.
    throw cause instanceof pg.DatabaseError || readCode(cause) !== '' ? translate(cause) : cause;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ask(client: pg.ClientBase, { text, values }: Statement): Promise<Outcome> {
  const { rows, rowCount } = await client.query<Record<string, unknown>>(text, [...values]);
  return { rows, changes: rowCount ?? 0 };
}
