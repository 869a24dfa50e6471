import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCliFixture } from '../testing/cli.ts';
import { startTestRpc } from '../testing/rpc.ts';

const chain = 84_532;

describe('The key', () => {
  const url = (cli: { gateway: { url: string } }) => ({ PAID_INFERENCE_URL: cli.gateway.url });

  test('comes from the named file before the environment', async () => {
    await using cli = await openCliFixture();
    const other = `0x${'11'.repeat(32)}`;
    const given = ['wallet', '--json', '--key-file', cli.keyFile];
    const { stdout } = await cli.run(given, { ...url(cli), PAID_INFERENCE_KEY: other });
    expect(JSON.parse(stdout)).toMatchObject({ address: cli.wallet.address, keyFrom: cli.keyFile });
    const bare = await cli.run(['wallet', '--json'], { ...url(cli), PAID_INFERENCE_KEY: other.slice(2) });
    expect(JSON.parse(bare.stdout)).toMatchObject({ address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A' });
  });

  test('that is missing is reported', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run(['chat', 'hi'], url(cli));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('no key to pay with')]);
  });

  test.skipIf(process.platform === 'win32')('is not read from a file that other users can read', async () => {
    await using cli = await openCliFixture();
    const file = cli.file('open.key', cli.wallet.privateKey, 0o640);
    const { exitCode, stderr } = await cli.run(['chat', 'hi', '--key-file', file]);
    expect([exitCode, stderr]).toEqual([
      2,
      `paid-inference: the key file ${file} can be read by other users. Run chmod 600 ${file}\n`,
    ]);
    expect(cli.gateway.received).toEqual([]);
  });

  test('file that is missing or a folder is reported with what to do', async () => {
    await using cli = await openCliFixture();
    const folder = join(cli.keyFile, '..');
    const [missing, aFolder] = await Promise.all(
      ['no.key', folder].map((file) => cli.run(['wallet', '--key-file', file])),
    );
    expect(missing).toMatchObject({
      exitCode: 2,
      stderr:
        'paid-inference: the key file no.key cannot be read (ENOENT). "npm run wallet -- new no.key" makes a key\n',
    });
    expect(aFolder).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is a folder') });
  });

  test('in the place of its file is not repeated', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run(['wallet', '--key-file', `0x${'1f'.repeat(32)}`]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'paid-inference: --key-file is a key, and must name a file that holds one\n',
    });
  });

  test.each([
    ['that is too short', '0x1234'],
    ['that is zero', '00'.repeat(32)],
    ['that is beyond the curve', 'ff'.repeat(32)],
  ])('%s is rejected and not printed', async (_, content) => {
    await using cli = await openCliFixture();
    const { exitCode, stdout, stderr } = await cli.run([
      'wallet',
      '--key-file',
      cli.file('bad.key', content),
    ]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is not a private key')]);
    expect(stdout + stderr).not.toContain(content);
  });

  test.each([['--key'], ['--private-key']])('is never an argument: %s', async (option) => {
    await using cli = await openCliFixture();
    const { exitCode, stderr, stdout } = await cli.run(['chat', 'hi', `${option}=${cli.wallet.privateKey}`]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('a key is never an argument')]);
    expect(stdout + stderr).not.toContain(cli.wallet.privateKey.slice(2));
  });
});

describe('The wallet', () => {
  test('shows the balance on the chain', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(chain, 1_234_567n);
    const { exitCode, stdout } = await cli.run(['wallet', '--rpc', rpc.url]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`address  ${cli.wallet.address}\n`);
    expect(stdout).toContain('balance  1234567 units (1.234567 TPT)\n');
  });

  test('rejects an RPC endpoint of another chain', async () => {
    await using cli = await openCliFixture();
    await using rpc = await startTestRpc(1, 1_234_567n);
    const { exitCode, stderr } = await cli.run(['wallet', '--rpc', rpc.url]);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining('is on chain 1, but payments are on 84532'),
    ]);
  });

  test('is made in a file with mode 600 and never overwrites a file', async () => {
    await using cli = await openCliFixture();
    const file = join(cli.keyFile, '..', 'keys', 'new.key');
    const made = await cli.run(['wallet', 'new', file, '--json']);
    expect(made.exitCode).toBe(0);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    const shown = await cli.run(['wallet', '--key-file', file, '--json']);
    expect(JSON.parse(shown.stdout).address).toBe(JSON.parse(made.stdout).address);

    expect(await cli.run(['wallet', 'new', file])).toMatchObject({ exitCode: 2, stdout: '' });
    const after = await cli.run(['wallet', '--key-file', file, '--json']);
    expect(after.stdout).toBe(shown.stdout);
  });

  test.skipIf(process.platform !== 'linux')(
    'is reported as an error when the system cannot make the folder',
    async () => {
      await using cli = await openCliFixture();
      const file = '/proc/paid-inference/new/payer.key';
      const { exitCode, stderr } = await cli.run(['wallet', 'new', file]);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${file} cannot be written`)]);
    },
  );

  test('reports an unknown balance when the gateway is down', async () => {
    await using cli = await openCliFixture();
    const gone = await startTestRpc(chain, 1n);
    await gone[Symbol.asyncDispose]();
    const given = ['wallet', '--rpc', gone.url, '--url', gone.url];
    const { exitCode, stderr } = await cli.run(given);
    expect([exitCode, stderr]).toEqual([
      3,
      `paid-inference: the balance is unknown: no response from ${gone.url}: ECONNREFUSED. Is the gateway running? "npm start" starts one.\n`,
    ]);
  });

  test('reports an unknown balance when the node is down', async () => {
    await using cli = await openCliFixture();
    const { exitCode, stderr } = await cli.run(['wallet', '--rpc', 'http://127.0.0.1:1']);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(/the node of --rpc cannot be reached .*ECONNREFUSED/),
    ]);
  });
});

test.runIf(process.platform === 'linux')('a new key that a full disk refuses leaves no file', async () => {
  await using cli = await openCliFixture();
  const path = cli.file('x', '').replace(/x$/, 'new.key');
  const { exitCode, stderr } = await cli.runWithoutDisk(['wallet', 'new', path]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${path} cannot be written`)]);
  expect((await cli.run(['wallet', 'new', path])).exitCode).toBe(0);
});
