import pg from 'pg';
import { expect, it } from 'vitest';
import { startTestServer } from './postgres-server.ts';

it('takes a base backup while PostgreSQL deletes files', async () => {
  const server = await startTestServer();
  const client = new pg.Client({ connectionString: await server.createDatabase() });
  await client.connect();
  let isTaken = false;
  let rounds = 0;
  const deleteFiles = async () => {
    while (!isTaken) {
      rounds += 1;
      await client.query('CREATE TABLE short AS SELECT 1; DROP TABLE short');
      // Both delete files: the one of the table, and the cache of the catalog.
      await client.query('VACUUM FULL pg_class');
      await client.query('CHECKPOINT');
    }
  };
  try {
    const deleted = deleteFiles();
    for (const _ of [1, 2, 3]) await server.backup?.take();
    isTaken = true;
    await deleted;
    expect(rounds).toBeGreaterThan(1);
  } finally {
    isTaken = true;
    await client.end();
    await server.remove();
  }
});
