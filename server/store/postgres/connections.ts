import pg from 'pg';
import type { Row } from '../rows.ts';
import { StoreUnavailable } from '../store.ts';
import { createDiskWatch } from './disk-watch.ts';
import { isConnectionSound, isContention, isStalePlan, readCode, translate } from './faults.ts';
import { inGroups } from './group.ts';

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

type Outcome = { readonly rows: readonly Row[]; readonly changes: number };

/**
 * Runs one statement, which is one transaction. Retries the statement a few times after a conflict. Each
 * connection keeps the plan of the statement, so the text must be one of a few.
 */
type Run = (text: string, ...values: readonly unknown[]) => Promise<Outcome>;

export type Connections = {
  readonly run: Run;
  /** Creates an operation whose concurrent calls share one statement. */
  group<Item, Result>(
    runGroup: (run: Run, items: readonly Item[]) => Promise<readonly Result[]>,
  ): (item: Item) => Promise<Result>;
  /** Rejects after a full disk, until a new page can be written. */
  proveSpace(): Promise<void>;
  /** Runs any work on a connection of its own, and closes that connection after. */
  alone<T>(work: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const attemptsMax = 4;
/** Few groups at once are large groups. The second one runs while the first one waits for the disk. */
const groupLimits = { groupMax: 256, groupsMax: 2 } as const;
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
    // A plan made for a small table stays while the table grows, so each plan must use an index (D-253). The server then
    // takes a scan without an index for dear, and would compile each such statement at every run (D-391).
    onConnect: (client) => client.query('SET enable_seqscan = off; SET jit = off'),
  });
  // The pool replaces a connection that breaks while idle.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const { accept, close } = createAdmission();
  let closing: Promise<void> | null = null;
  const disk = createDiskWatch((work) => borrow(work, true));
  const names = createNames();
  return {
    run: (...statement) => accept(() => run(...statement)),
    group<Item, Result>(runGroup: (run: Run, items: readonly Item[]) => Promise<readonly Result[]>) {
      const call = inGroups<Item, Result>((items) => runGroup(run, items), { ...groupLimits, waitingMax });
      return (item: Item) => accept(() => call(item));
    },
    proveSpace: () => accept(proveSpace),
    alone: (work) => onOwnConnection(common, work),
    close() {
      closing ??= close().then(() => pool.end());
      return closing;
    },
  };

  async function run(text: string, ...values: readonly unknown[]): Promise<Outcome> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await borrow(async (client) => {
          const query = { name: names.find(text), text, values: [...values] };
          const { rows, rowCount } = await client.query<Record<string, unknown>>(query);
          return { rows, changes: rowCount ?? 0 };
        });
      } catch (cause) {
        disk.note(cause);
        const isStale = isStalePlan(cause);
        if (isStale) names.renew(text);
        if (!(isStale || isContention(cause)) || attempt === attemptsMax) throw translate(cause);
      }
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
    if (pool.waitingCount >= waitingMax) {
      throw new StoreUnavailable(`${waitingMax} operations already wait for the store`);
    }
    let client: pg.PoolClient | null = null;
    try {
      client = await pool.connect();
      const result = await work(client);
      client.release();
      return result;
    } catch (cause) {
      // An open transaction is closed with its connection.
      client?.release(inTransaction || !isConnectionSound(cause));
      throw cause;
    }
  }
}

/** Counts the operations under way. A pool that ends drops the operations that wait for a connection. */
function createAdmission(): { accept<T>(work: () => Promise<T>): Promise<T>; close(): Promise<void> } {
  const idle = Promise.withResolvers<void>();
  let isClosing = false;
  let underWay = 0;
  return {
    async accept(work) {
      if (isClosing) throw new StoreUnavailable('the store is closed');
      underWay++;
      try {
        return await work();
      } finally {
        if (--underWay === 0 && isClosing) idle.resolve();
      }
    },
    close() {
      isClosing = true;
      if (underWay === 0) idle.resolve();
      return idle.promise;
    },
  };
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

type StatementNames = {
  find(text: string): string;
  /** Gives a statement another name, under which each connection plans it again. */
  renew(text: string): string;
};

/** Names each statement once: PostgreSQL parses and plans a named statement once for each connection. */
function createNames(): StatementNames {
  const names = new Map<string, string>();
  let named = 0;
  const renew = (text: string) => {
    const name = `statement_${++named}`;
    names.set(text, name);
    return name;
  };
  return { find: (text) => names.get(text) ?? renew(text), renew };
}
