import pg from 'pg';
import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { codeOf, isConnectionSound, isContention, translate } from './faults.ts';

export type ConnectionLimits = {
  /** Connections that this process opens at most. */
  readonly connectionsMax: number;
  /** Operations that may wait for a connection; one more is refused at once. */
  readonly waitingMax: number;
  /** How long an operation waits for a connection, a new one or one that becomes free. */
  readonly connectTimeoutMs: number;
  /** How long a statement may take on the server, locks included. After that it may or may not have happened. */
  readonly operationTimeoutMs: number;
  /** How long a connection is kept that nobody uses. */
  readonly idleTimeoutMs: number;
};

type Statement = { readonly text: string; readonly values: readonly unknown[] };
type Outcome = { readonly rows: readonly Row[]; readonly changes: number };

export type Connections = {
  /** One statement, which is one transaction. Lost races with others are run again, a few times. */
  run(text: string, ...values: readonly unknown[]): Promise<Outcome>;
  /** Several statements that see the store at one and the same moment. Read only. */
  atOneMoment(statements: readonly Statement[]): Promise<readonly Outcome[]>;
  /** Whatever it takes, on a connection of its own that is closed after. */
  alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const attemptsMax = 4;
/** The server ends a statement first; this one is for a server that is silent. */
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
  // A connection that breaks while nobody uses it is replaced when somebody does.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | null = null;
  let underWay = 0;
  let onIdle: (() => void) | null = null;
  return { run, atOneMoment, alone: (work) => onOwnConnection(common, work), close };

  async function run(text: string, ...values: readonly unknown[]): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await borrow((client) => ask(client, { text, values }));
      } catch (cause) {
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

  async function borrow<T>(work: (client: pg.PoolClient) => Promise<T>, inTransaction = false): Promise<T> {
    if (closing !== null) throw new StoreUnavailable('the store is closed');
    if (pool.waitingCount >= waitingMax) {
      throw new StoreUnavailable(`${waitingMax} operations wait for the store already`);
    }
    let client: pg.PoolClient | null = null;
    underWay++;
    try {
      client = await pool.connect();
      const result = await work(client);
      client.release();
      return result;
    } catch (cause) {
      // A transaction that was left open is closed with its connection.
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

  /** A pool that ends forgets those who wait for it: they come first. */
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
    // A sentence of the work itself goes to the operator as it is.
    throw cause instanceof pg.DatabaseError || codeOf(cause) !== '' ? translate(cause) : cause;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ask(client: pg.ClientBase, { text, values }: Statement): Promise<Outcome> {
  const { rows, rowCount } = await client.query<Record<string, unknown>>(text, [...values]);
  return { rows, changes: rowCount ?? 0 };
}
