import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFakeTarget } from './testing/fake-target.ts';
import { runMain } from './testing/run-main.ts';

const timeout = 90_000;
const nobody = 'http://127.0.0.1:1';
const caps = ['--max-total', '100000', '--max-per-request', '2000'] as const;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-options-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[], environment?: Record<string, string>) =>
  runMain(folder, args, environment);

function writeKey(key = `0x${'44'.repeat(32)}`, name = 'payer.key'): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), `${key}\n`);
  chmodSync(join(folder, name), 0o600);
}

describe('a key without a profile', { timeout }, () => {
  it('selects free, signed and paid, within the caps', async () => {
    await using target = await startFakeTarget();
    writeKey(target.payerKey);
    const { code, stdout } = await run([target.url, '--key-file', 'payer.key', ...caps]);
    expect(stdout).toContain('profiles free+signed+paid');
    expect(stdout).toMatch(/^Signed [1-9]\d* payments/m);
    expect(code).toBe(0);
  });

  it('signs nothing without caps, and the fault names the caps', async () => {
    writeKey();
    const { code, stdout, stderr } = await run([nobody, '--key-file', 'payer.key']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      "conformance: --key-file selects the profiles free, signed and paid, and paid needs --max-total and --max-per-request, in the token's smallest unit. Add both caps, or replace --key-file by --profile free,signed\n",
    );
  });

  it('in the environment is not used, and a line reports that', async () => {
    await using target = await startFakeTarget();
    const { code, stdout } = await run([target.url], { CONFORMANCE_KEY: target.payerKey });
    expect(stdout).toContain('CONFORMANCE_KEY was not used');
    expect(stdout).toContain('profiles free ·');
    expect(code).toBe(0);
  });

  it('in the environment is used with caps', async () => {
    await using target = await startFakeTarget();
    const { stdout } = await run([target.url, ...caps, '--dry-run'], { CONFORMANCE_KEY: target.payerKey });
    expect(stdout).toContain('with the profiles free+signed+paid:');
  });
});

describe('a key file', { timeout }, () => {
  it('that is a key itself is not repeated', async () => {
    const { code, stderr } = await run([nobody, '--key-file', `0x${'1f'.repeat(32)}`]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'conformance: --key-file is a key, and must name a file that holds one\n',
    });
  });

  it.each([[[]], [['--profile', 'free']], [['--profile', 'paid', ...caps]], [['--dry-run']]])(
    'that is missing ends with 2, also with %j',
    async (args) => {
      const { code, stdout, stderr } = await run([nobody, '--key-file', 'none.key', ...args]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(
        'conformance: --key-file none.key cannot be read: the file does not exist (ENOENT)\n',
      );
    },
  );

  it.each([
    ['a folder', '.', 'the path is a folder (EISDIR)'],
    ['without a key', 'empty.key', 'contains no private key'],
  ])('that is %s ends with 2', async (_, path, words) => {
    writeKey('', 'empty.key');
    chmodSync(folder, 0o700);
    const { code, stderr } = await run([nobody, '--key-file', path, ...caps]);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});

describe('options of paid', { timeout }, () => {
  it.each([
    ['--key-file', 'payer.key'],
    ['--max-total', '1'],
    ['--max-per-request', '1'],
    ['--max-payments', '1'],
    ['--pay-to', `0x${'11'.repeat(20)}`],
    ['--asset', `0x${'11'.repeat(20)}`],
    ['--journal', 'spend.jsonl'],
    ['--chain-rpc', 'http://127.0.0.1:1'],
    ['--ledger-rpc', 'http://127.0.0.1:1'],
  ])('%s with a profile that does not pay ends with 2', async (option, value) => {
    writeKey();
    const { code, stderr } = await run([nobody, '--profile', 'free,signed', option, value]);
    expect(stderr).toBe(
      `conformance: ${option} needs the profile paid, but --profile names free and signed. Add paid, or leave ${option} out\n`,
    );
    expect(code).toBe(2);
  });

  it.each([
    [['--max-total', '1'], 'needs --max-per-request'],
    [['--max-per-request', '1'], 'needs --max-total'],
    [['--max-per-request', '1', '--max-total', '0.1'], '--max-total 0.1 is not a whole number'],
    [
      ['--max-per-request', '1', '--max-total', '1'.repeat(79)],
      '--max-total has 79 digits, and a cap has at most 78. Give',
    ],
    [['--max-per-request', '-1', '--max-total', '1'], '--max-per-request -1 is not a whole number'],
  ])('name a missing or invalid cap: %j', async (args, words) => {
    writeKey();
    const { code, stderr } = await run([nobody, '--key-file', 'payer.key', ...args]);
    expect(stderr).toContain(words);
    expect(stderr).toContain("token's smallest unit");
    expect(code).toBe(2);
  });

  it('select paid without --profile', async () => {
    const { code, stderr } = await run([nobody, ...caps]);
    expect(stderr).toContain('the profile paid needs a funded key. Give --key-file or set CONFORMANCE_KEY');
    expect(code).toBe(2);
  });
});

describe('an option that a run could not use', { timeout }, () => {
  it.each([
    [['--path', '0:1', '--filter', 'offer.'], '--path needs random bodies, and this run has none'],
    [['--seed', '7', '--filter', 'offer.'], '--seed needs random bodies, and this run has none'],
    [['--seed', '7', '--profile', 'signed'], '--seed needs random bodies, and this run has none'],
    [['--i-own-this-target'], '--i-own-this-target needs the profile limits, but the profiles are free'],
    [['--max-total', '1', '--max-total', '9'], "option '--max-total' is given twice; leave one out"],
  ])('ends with 2: %j', async (args, words) => {
    const { code, stdout, stderr } = await run([nobody, ...args, '--dry-run']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
  });

  it.each([
    [['--seed', '7']],
    [['--seed', '7', '--path', '0:1', '--filter', 'robustness.invalid']],
    [['--profile', 'limits', '--i-own-this-target']],
  ])('is taken by another run: %j', async (args) => {
    expect((await run([nobody, ...args, '--dry-run'])).code).toBe(0);
  });
});

it('a dry run leaves no report', { timeout }, async () => {
  expect((await run([nobody, '--dry-run', '--report', 'report.json'])).code).toBe(0);
  expect(readdirSync(folder)).not.toContain('report.json');
});

describe('several recipients', { timeout }, () => {
  it('are pinned by a repeated --pay-to', async () => {
    writeKey();
    const recipients = ['11', '22'].flatMap((each) => ['--pay-to', `0x${each.repeat(20)}`]);
    const paid = [nobody, '--key-file', 'payer.key', ...caps, '--dry-run'];
    expect((await run([...paid, ...recipients])).code).toBe(0);
    for (const wrong of ['0x33', `0x${'aB'.repeat(20)}`]) {
      const { code, stderr } = await run([...paid, ...recipients, '--pay-to', wrong]);
      expect(stderr).toContain('--pay-to and --asset must be addresses');
      expect(code).toBe(2);
    }
  });
});

describe('an option without a value', { timeout: 300_000 }, () => {
  const options = ['--profile', '--model', '--key-file', '--max-total', '--max-payments', '--journal'].concat(
    ['--rate', '--seed', '--path', '--filter', '--report', '--expected-failures', '--timeout-ms'],
    ['--deadline-seconds', '--implementation-name', '--pay-to', '--chain-rpc'],
  );
  it.each(options)('%s ends with 2 when its value is empty or missing', async (option) => {
    const empty = await run([nobody, option, '']);
    expect([empty.code, empty.stdout]).toEqual([2, '']);
    expect(empty.stderr).toContain(`${option} is empty`);
    const last = await run([nobody, option]);
    expect([last.code, last.stdout]).toEqual([2, '']);
    expect(last.stderr).toContain('argument missing');
  });

  it.each([
    ['--max-payments', '1.5'],
    ['--max-payments', '0x1'],
    ['--seed', 'one'],
    ['--rate', 'Infinity'],
    ['--timeout-ms', '1e3'],
    ['--deadline-seconds', '-1'],
  ])('%s rejects %s', async (option, value) => {
    writeKey();
    const paid = option === '--max-payments' ? ['--key-file', 'payer.key', ...caps] : [];
    const { code, stderr } = await run([nobody, ...paid, option, value]);
    expect(stderr).toContain(`${option} must be a`);
    expect(code).toBe(2);
  });
});
