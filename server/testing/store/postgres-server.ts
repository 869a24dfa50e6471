import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import type { OrderResult, SupervisorOrder } from './postgres-supervisor.ts';

/** A PostgreSQL server for tests. */
export type TestServer = {
  /** Creates an empty database, which `remove` deletes. */
  createDatabase(): Promise<string>;
  /** Stops the server, as a crash would, and starts it again. Null for a server that the test did not start. */
  readonly power: { off(): Promise<void>; on(): Promise<void> } | null;
  /**
   * Takes a base backup while clients go on, and replaces the files of the server by it. All databases are then as
   * they were. Null for a server that the test did not start.
   */
  readonly backup: { take(): Promise<void>; restore(): Promise<void> } | null;
  remove(): Promise<void>;
};

type OpenServer = Pick<TestServer, 'power' | 'backup'> & {
  createDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Lets this process exit while the server runs. */
  unref(): void;
  /** Ends the server and deletes its files. Null for a server that the test did not start. */
  readonly end: (() => Promise<void>) | null;
};

/**
 * Uses the server of DATABASE_URL, or starts one from npm with its own empty folder, without any setup. The
 * started server ends with this process in any case.
 */
export async function startTestServer(options: { readonly durable?: boolean } = {}): Promise<TestServer> {
  const server = await openServer(options);
  const lease = openLease(server);
  return { ...lease, remove: server.end ?? lease.remove };
}

let shared: Promise<OpenServer> | null = null;

/**
 * Returns the server that the test files of one worker share, because a start takes a second of CPU time. It
 * starts with the first file that needs it, and ends with the worker. A test that switches it off must switch
 * it on again.
 */
export async function shareTestServer(): Promise<TestServer> {
  shared ??= openServer({});
  const server = await shared;
  server.unref();
  return openLease(server);
}

/** The databases of one user of a server. */
function openLease(server: OpenServer): TestServer {
  const names: string[] = [];
  return {
    createDatabase() {
      const name = `paid_inference_test_${randomBytes(6).toString('hex')}`;
      names.push(name);
      return server.createDatabase(name);
    },
    power: server.power,
    backup: server.backup,
    async remove() {
      for (const name of names) await server.dropDatabase(name);
    },
  };
}

async function openServer(options: { readonly durable?: boolean }): Promise<OpenServer> {
  const given = process.env['DATABASE_URL'];
  const supervisor =
    given === undefined ? fork(supervisorFile(), [JSON.stringify(options)], { execArgv: [] }) : null;
  const url = given ?? (await firstMessage());
  return {
    async createDatabase(name) {
      await ask(`CREATE DATABASE ${name}`);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    dropDatabase: (name) => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    unref() {
      supervisor?.unref();
      supervisor?.channel?.unref();
    },
    power: supervisor && { off: () => order({ kind: 'stop' }), on: () => order({ kind: 'start' }) },
    backup: supervisor && {
      take: () =>
        withClient(async (client) => {
          await client.query("SELECT pg_backup_start('test', fast => true)");
          await order({ kind: 'copy' });
          const { rows } = await client.query(
            'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
          );
          await order({ kind: 'finish', label: rows[0].labelfile });
        }),
      restore: () => order({ kind: 'restore' }),
    },
    end:
      supervisor &&
      (async () => {
        if (!supervisor.connected) return;
        const ended = once(supervisor, 'exit');
        supervisor.disconnect();
        await ended;
      }),
  };

  async function firstMessage(): Promise<string> {
    if (supervisor === null) throw new Error('there is no supervisor');
    return String(await messageOf(supervisor));
  }

  async function order(what: SupervisorOrder): Promise<void> {
    if (supervisor === null) throw new Error('there is no supervisor');
    const done = messageOf(supervisor);
    supervisor.send(what);
    const { fault } = (await done) as OrderResult;
    if (fault !== null) throw new Error(`PostgreSQL: '${what.kind}' failed: ${fault}`);
  }

  async function ask(sql: string): Promise<void> {
    await withClient((client) => client.query(sql));
  }

  async function withClient(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  }
}

/** The next message of the supervisor. Rejects when the supervisor exits before it. */
async function messageOf(supervisor: ChildProcess): Promise<unknown> {
  const settled = new AbortController();
  const early = once(supervisor, 'exit', { signal: settled.signal }).then(([code]) => {
    throw new Error(`no PostgreSQL server (code ${code})`);
  });
  const message = once(supervisor, 'message', { signal: settled.signal });
  try {
    const [first] = await Promise.race([message, early]);
    return first;
  } finally {
    settled.abort();
    await Promise.allSettled([message, early]);
  }
}

function supervisorFile(): URL {
  return new URL('./postgres-supervisor.ts', import.meta.url);
}
