import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readMigrations } from '../store/sqlite/migrations.ts';
import { runGatewayCommand } from '../testing/run-gateway-command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'closed-store-'));
  chmodSync(folder, 0o777);
  mkdirSync(join(folder, 'closed'));
  for (const path of [join(folder, 'closed', 'store.db'), join(folder, 'open.db')]) {
    const database = new DatabaseSync(path);
    database.exec(
      `PRAGMA journal_mode = wal; CREATE TABLE store_version (version int); INSERT INTO store_version VALUES (${readMigrations().length})`,
    );
    database.close();
    chmodSync(path, path.endsWith('open.db') ? 0o666 : 0o444);
  }
  chmodSync(join(folder, 'closed'), 0o555);
});
afterAll(() => {
  chmodSync(join(folder, 'closed'), 0o755);
  rmSync(folder, { recursive: true });
});

const address = (byte: string) => `0x${byte.repeat(20)}`;
const key = `0x${'34'.repeat(32)}`;

/** Nothing listens at the ports: the commands only read the store. */
function settings(databaseFile: string) {
  return {
    ...{
      CHAIN_RPC_URL: 'http://127.0.0.1:1',
      TOKEN_ADDRESS: address('12'),
      TOKEN_NAME: 'Test',
      PAY_TO: address('13'),
    },
    ...{ PROOF_LEDGER_RPC_URL: 'http://127.0.0.1:1', PROOF_LEDGER_CHAIN_ID: '7' },
    ...{ PROOF_LEDGER_CONTRACT: address('14'), PROOF_LEDGER_KEY: key, RELAYER_KEY: key },
    DATABASE_FILE: databaseFile,
  };
}

const run = (args: readonly string[], databaseFile: string) =>
  runGatewayCommand(args, settings(databaseFile), folder, { isRoot: false });

const commands = [['export'], ['backup', '--out', 'copy.db'], ['doctor']];

it.each(commands)('%s names the user, and no backup, for a store that it may not write', async (...args) => {
  const { code, stdout, stderr } = await run(args, join(folder, 'closed', 'store.db'));
  expect([code, stdout + stderr]).toEqual([
    1,
    expect.stringMatching(/closed\/store\.db cannot be (?:read|used): .*Let this user write to the file and/),
  ]);
  expect(stdout + stderr).not.toContain('put a backup');
});

it.each([['export'], ['backup', '--out', 'copy.db']])(
  '%s names the setting for a folder',
  async (...args) => {
    const { code, stderr } = await run(args, folder);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Set DATABASE_FILE to a file in this folder'),
    ]);
  },
);

it.each([['export'], ['backup']])('%s names --out for a file that it may not write', async (command) => {
  const { code, stderr } = await run([command, '--out', join('closed', 'new')], join(folder, 'open.db'));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/Name another|name another file with --out/)]);
  expect(stderr).not.toContain('incomplete');
});
