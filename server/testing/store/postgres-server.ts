import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';

/** A PostgreSQL server for tests. */
export type TestServer = {
  /** Creates an empty database, which is deleted with the server. */
  createDatabase(): Promise<string>;
  /** Stops the server, as a crash would, and starts it again. Null for a server that the test did not start. */
  readonly power: { off(): Promise<void>; on(): Promise<void> } | null;
  remove(): Promise<void>;
};

/**
 * Uses the server of DATABASE_URL, or starts one from npm with its own empty folder, without any setup. The
 * started server ends with this process in any case.
 */
export async function startTestServer(options: { readonly durable?: boolean } = {}): Promise<TestServer> {
  const given = process.env['DATABASE_URL'];
  const supervisor =
    given === undefined ? fork(supervisorFile(), [JSON.stringify(options)], { execArgv: [] }) : null;
  const url = given ?? (await firstMessage());
  const made: string[] = [];
  return {
    async createDatabase() {
      const name = `paid_inference_test_${randomBytes(6).toString('hex')}`;
      await ask(`CREATE DATABASE ${name}`);
      made.push(name);
      const database = new URL(url);
      database.pathname = `/${name}`;
      return database.href;
    },
    power: supervisor && { off: () => order('stop'), on: () => order('start') },
    async remove() {
      if (supervisor !== null) {
        const ended = once(supervisor, 'exit');
        supervisor.disconnect();
        await ended;
        return;
      }
      for (const name of made) await ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };

  async function firstMessage(): Promise<string> {
    if (supervisor === null) throw new Error('there is no supervisor');
    const early = new Promise<never>((_, reject) =>
      supervisor.once('exit', (code) => reject(new Error(`no PostgreSQL server (code ${code})`))),
    );
    const [message] = await Promise.race([once(supervisor, 'message'), early]);
    return String(message);
  }

  async function order(what: 'stop' | 'start'): Promise<void> {
    if (supervisor === null) throw new Error('there is no supervisor');
    const done = once(supervisor, 'message');
    supervisor.send(what);
    await done;
  }

  async function ask(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }
}

function supervisorFile(): URL {
  return new URL('./postgres-supervisor.ts', import.meta.url);
}
