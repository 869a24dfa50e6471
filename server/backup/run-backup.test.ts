import { existsSync, readdirSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunningGateway } from '../start/start.ts';
import { createCountingEngine } from '../testing/counting-engine.ts';
import { chatBody, chatPath, decodeOffer, paymentFor, post } from '../testing/payer.ts';
import { ledgerEnvironment } from '../testing/proof/ledger-environment.ts';
import { runGatewayCommand } from '../testing/run-gateway-command.ts';
import { openStartedGateways, type StartedGateways } from '../testing/started-gateways.ts';

let fixture: StartedGateways;
let gateway: RunningGateway | null = null;
let place: string;
let tests = 0;

beforeAll(async () => {
  fixture = await openStartedGateways();
});
afterAll(() => fixture.close());
beforeEach(() => {
  place = join(fixture.folder, `test-${++tests}`);
});
afterEach(async () => {
  await gateway?.stop();
  gateway = null;
});

async function start(file: string): Promise<RunningGateway> {
  const started = await fixture.start({ DATABASE_FILE: file }, createCountingEngine());
  if (!started.ok) throw new Error(started.fault.join('\n'));
  gateway = started.value;
  return gateway;
}

async function buy({ url }: RunningGateway): Promise<Record<string, string>> {
  const offer = decodeOffer(await post(`${url}${chatPath}`, chatBody));
  const header = await paymentFor(offer, fixture.devnet.payer.privateKey);
  expect((await post(`${url}${chatPath}`, chatBody, header)).status).toBe(200);
  return header;
}

function runBackup(args: readonly string[], change: Readonly<Record<string, string>> = {}) {
  const { devnet } = fixture;
  const environment = {
    CHAIN_RPC_URL: devnet.rpcUrl,
    TOKEN_ADDRESS: devnet.token.address,
    TOKEN_NAME: devnet.token.name,
    PAY_TO: devnet.payTo,
    RELAYER_KEY: devnet.relayerKey,
    ...ledgerEnvironment(devnet.ledger),
    DATABASE_FILE: `${place}.db`,
    ...change,
  };
  return runGatewayCommand(['backup', ...args], environment, fixture.folder);
}

/** The fault of a backup whose name, or that of its key, is taken. */
function taken(end: string): string {
  return `The backup failed: ${place}.copy${end} exists already. Name another file with --out\n`;
}

function filesNamed(start: string): readonly string[] {
  return readdirSync(fixture.folder).filter((name) => join(fixture.folder, name).startsWith(start));
}

describe('paid-inference-gateway backup', () => {
  it('copies store and key for their owner alone, while a gateway sells, and the copy replays its payments', async () => {
    const running = await start(`${place}.db`);
    const header = await buy(running);
    const [copied] = await Promise.all([runBackup(['--out', `${place}.copy`]), buy(running), buy(running)]);
    expect(copied).toMatchObject({ code: 0, stdout: '' });
    expect(copied.stderr).toMatch(
      /^Copied the store .* \(version \d+, [123] payments?, \d+ MB\) to .*\.copy\. Its key is in .*\.copy\.key\.$/m,
    );
    for (const end of ['', '.key']) expect(statSync(`${place}.copy${end}`).mode & 0o777).toBe(0o600);
    expect(filesNamed(`${place}.copy`)).toHaveLength(2);
    // The gateway goes on with its own file.
    await buy(running);
    await running.stop();
    const restored = await start(`${place}.copy`);
    const again = await post(`${restored.url}${chatPath}`, chatBody, header);
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true']);
    await buy(restored);
  });

  it('has the payments that are only in the write-ahead log', async () => {
    const running = await start(`${place}.db`);
    await buy(running);
    // A reader of the first payment keeps SQLite from copying the log into the file.
    const reader = new DatabaseSync(`${place}.db`);
    reader.exec('BEGIN; SELECT count(*) FROM payment');
    await buy(running);
    expect(await runBackup(['--out', `${place}.copy`])).toMatchObject({ code: 0 });
    reader.close();
    const copy = new DatabaseSync(`${place}.copy`, { readOnly: true });
    expect(copy.prepare('SELECT count(*) AS payments FROM payment').get()).toEqual({ payments: 2 });
    copy.close();
  });

  it.each(['', '.key', '-wal', '-shm', '-journal'])(
    'makes no copy when there is a file with its name and the end "%s"',
    async (end) => {
      await buy(await start(`${place}.db`));
      writeFileSync(`${place}.copy${end}`, 'kept');
      const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
      expect([code, stderr]).toEqual([1, taken(end)]);
      expect(filesNamed(`${place}.copy`)).toHaveLength(1);
    },
  );

  it.each(['', '.key'])(
    'replaces and removes no link to a file that is away, with the end "%s"',
    async (end) => {
      await buy(await start(`${place}.db`));
      symlinkSync(`${place}.away`, `${place}.copy${end}`);
      const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
      expect([code, stderr]).toEqual([1, taken(end)]);
      expect(readlinkSync(`${place}.copy${end}`)).toBe(`${place}.away`);
      expect(filesNamed(`${place}.copy`)).toHaveLength(1);
    },
  );

  it('names the file that an interrupted backup left, and keeps it', async () => {
    await buy(await start(`${place}.db`));
    writeFileSync(`${place}.copy.incomplete`, 'kept');
    const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
    expect([code, stderr]).toEqual([
      1,
      `The backup failed: ${place}.copy.incomplete exists already. Delete it, unless another backup is writing it\n`,
    ]);
    expect(filesNamed(`${place}.copy`)).toHaveLength(1);
  });

  it('leaves no file when it fails, such as without the key of the store', async () => {
    const running = await start(`${place}.db`);
    await buy(running);
    await running.stop();
    gateway = null;
    rmSync(`${place}.db.key`);
    const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The backup failed: the key file .* of the completions in this store is missing\./,
    );
    expect(existsSync(`${place}.copy`)).toBe(false);
    expect(filesNamed(`${place}.copy`)).toEqual([]);
  });

  it.each([
    [[], {}, '--out with the name of a new file is missing'],
    [['--out', ''], {}, '--out with the name of a new file is missing'],
    [['--out', 'x', '--out', 'y'], {}, '--out is given twice. Leave one out.'],
    [['--out', 'x', '--nope'], {}, 'npm run backup -- --help lists all options'],
    [
      ['--out', 'x'],
      { DATABASE_URL: 'postgres://127.0.0.1/store', COMPLETION_KEY: `0x${'ab'.repeat(32)}` },
      'run pg_dump --format=custom --schema=paid_inference',
    ],
    [['--out', 'x'], { PORT: 'many' }, 'PORT'],
  ])('rejects %j with the settings %j', async (args, change, sentence) => {
    expect(await runBackup(args, change)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(sentence),
    });
  });

  it('says what to do about a file that is no store', async () => {
    writeFileSync(`${place}.db`, 'no store '.repeat(100));
    const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
    expect([code, stderr]).toEqual([
      1,
      `The backup failed: the store ${place}.db cannot be read: file is not a database. Repair it, or put a backup in its place\n`,
    ]);
    expect(filesNamed(`${place}.copy`)).toEqual([]);
  });

  it('makes no copy in a folder that is missing', async () => {
    await buy(await start(`${place}.db`));
    const out = `${place}/missing/store.copy`;
    const { code, stderr } = await runBackup(['--out', out]);
    expect([code, stderr]).toEqual([
      1,
      `The backup failed: the folder of ${out} does not exist. Create it, or name another file with --out\n`,
    ]);
  });

  // The draft of the copy has a longer name.
  it.each([300, 250])('asks for a shorter name in place of one with %i letters', async (length) => {
    await buy(await start(`${place}.db`));
    const out = join(fixture.folder, 'n'.repeat(length));
    const { code, stderr } = await runBackup(['--out', out]);
    expect([code, stderr]).toEqual([
      1,
      `The backup failed: the name of ${out}, or of a file beside it, is too long. Name a shorter one with --out\n`,
    ]);
  });

  it('makes no copy below a file', async () => {
    await buy(await start(`${place}.db`));
    const out = `${place}.db/store.copy`;
    const { code, stderr } = await runBackup(['--out', out]);
    expect([code, stderr]).toEqual([
      1,
      `The backup failed: a folder in the path of ${out} is a file. Name another file with --out\n`,
    ]);
  });

  it('makes no copy of a store that does not exist yet', async () => {
    const { code, stderr } = await runBackup(['--out', `${place}.copy`]);
    expect([code, stderr]).toEqual([1, `The backup failed: there is no store at ${place}.db yet\n`]);
    expect(filesNamed(place)).toEqual([]);
  });
});
