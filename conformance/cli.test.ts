import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checks } from './checks/all.ts';
import type { Report } from './engine/report.ts';
import { profilesOfAll } from './engine/scope.ts';
import { catalogModel } from './independent/steps.ts';
import { paymentsMaxDefault } from './payment/spending.ts';
import { mutants } from './testing/broken.ts';
import { countAll, mustIn } from './testing/expected.ts';
import { startFakeTarget } from './testing/fake-target.ts';
import { cli, plainEnvironment, runCli } from './testing/run-cli.ts';
import { runMain } from './testing/run-main.ts';

const noNetwork = new URL('./testing/no-network.ts', import.meta.url).href;
const freeMust = mustIn({ profiles: ['free'] });
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (args: readonly string[], environment?: Record<string, string>) =>
  runMain(folder, args, environment);
/** For tests of what only a process has; see `runMain`. */
const runProcess = (args: readonly string[], environment?: Record<string, string>) =>
  runCli(folder, args, environment);

const caps = ['--max-total', '100000', '--max-per-request', '2000'] as const;

function writeKey(payerKey: string, path: string, mode = 0o600): void {
  writeFileSync(path, `${payerKey}\n`);
  chmodSync(path, mode);
}

describe('exit codes', () => {
  it('0: conformant in scope, the profile free by default', async () => {
    await using target = await startFakeTarget();
    const { code, stdout, stderr } = await runProcess([target.url]);
    expect(stdout).toContain(
      `Conformant in scope: v1 · profiles free · ${freeMust} of ${freeMust} MUST verified`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('1: a MUST failed', async () => {
    const mutant = mutants.find(({ id }) => id === 'amount-as-number');
    await using target = await startFakeTarget(mutant?.change);
    const { code, stdout } = await runProcess([target.url, '--filter', 'offer.maxAmountRequired']);
    expect(stdout).toContain('✗ offer.maxAmountRequired');
    expect(code).toBe(1);
  });

  it.each([
    ['no URL', []],
    ['an invalid URL', ['gateway']],
    ['another protocol', ['ftp://gateway.example']],
    ['credentials in the URL', ['http://user:secret@127.0.0.1:1']],
    ['an unknown profile', ['http://127.0.0.1:1', '--profile', 'gratis']],
    ['an unknown option', ['http://127.0.0.1:1', '--wordy']],
    ['an invalid timeout', ['http://127.0.0.1:1', '--timeout-ms', 'soon']],
    ['an invalid deadline', ['http://127.0.0.1:1', '--deadline-seconds', '0']],
    ['paid without caps', ['http://127.0.0.1:1', '--profile', 'paid']],
    ['paid without a key', ['http://127.0.0.1:1', '--profile', 'paid', ...caps]],
    ['a missing key file', ['http://127.0.0.1:1', '--profile', 'all', '--key-file', 'none', ...caps]],
    ['a filter that selects nothing', ['http://127.0.0.1:1', '--filter', 'zzz']],
    ['a filter that selects nothing, in a dry run', ['http://127.0.0.1:1', '--filter', 'zzz', '--dry-run']],
    ['a report that cannot be written', ['http://127.0.0.1:1', '--report', 'no/such/folder.json']],
    ['the same in a dry run', ['http://127.0.0.1:1', '--report', 'no/such/folder.json', '--dry-run']],
  ])('2: %s', async (_, args) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  it.each([
    [['127.0.0.1:8402'], '127.0.0.1:8402 is not an http or https URL. Do you mean http://127.0.0.1:8402?'],
    [['localhost:8402'], 'localhost:8402 is not an http or https URL. Do you mean http://localhost:8402?'],
    [['http://127.0.0.1:8402 '], 'the URL has a blank; remove it'],
    [['http://127.0.0.1:8402/?'], 'the URL must be a base URL, without query or fragment'],
    [['http://127.0.0.1:8402/#'], 'the URL must be a base URL, without query or fragment'],
    [
      ['http://127.0.0.1:1', '--filter', 'offer.', '--filter', 'body.'],
      "option '--filter' is given twice; leave one out (--help lists all options)",
    ],
    [
      ['http://127.0.0.1:1', '--profile', 'foo'],
      '--profile foo is unknown. Use free, signed, paid, limits, or all',
    ],
    [['http://127.0.0.1:1', '--wordy'], "unknown option '--wordy' (--help lists all options)"],
    [
      ['http://127.0.0.1:1', '--report', 'no/such/folder.json'],
      '--report no/such/folder.json cannot be written: the folder no/such does not exist (ENOENT)',
    ],
  ])('2: %j, with advice', async (args, sentence) => {
    expect((await run(args)).stderr).toBe(`conformance: ${sentence}\n`);
  });

  it('2: an invalid cap, with the unit', async () => {
    const { stderr } = await run(['http://127.0.0.1:1', '--profile', 'paid', '--max-total', '0.1']);
    expect(stderr).toContain("in the token's smallest unit");
  });

  it('2: a filter for requirements of another profile, with that profile', async () => {
    expect((await run(['http://127.0.0.1:1', '--filter', 'zzz'])).stderr).toBe(
      'conformance: no requirement id starts with "zzz". Correct --filter\n',
    );
    expect((await run(['http://127.0.0.1:1', '--filter', 'receipt.'])).stderr).toBe(
      'conformance: no requirement id of free starts with "receipt.". Use --profile paid\n',
    );
  });

  it.each([
    [['http://127.0.0.1:1', '--max-total']],
    [['http://127.0.0.1:1', '--filter']],
    [['http://127.0.0.1:1', '--nothing']],
    [[]],
  ])('2: a private key after %j, without the key', async (args) => {
    const key = `0x${'5a'.repeat(32)}`;
    const { code, stderr } = await run([...args, key]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^conformance: /)]);
    expect(stderr).not.toContain(key.slice(2));
  });

  it('2: a key file that other users can read', async () => {
    await using target = await startFakeTarget();
    writeKey(target.payerKey, join(folder, 'payer.key'), 0o644);
    const { code, stderr } = await run([target.url, '--profile', 'all', '--key-file', 'payer.key', ...caps]);
    expect(stderr).toContain('chmod 600');
    expect(stderr).not.toContain(target.payerKey.slice(2));
    expect(code).toBe(2);
  });

  it('2: no model given and none found', async () => {
    await using target = await startFakeTarget(({ error }) => ({
      finish: (reply, endpoint) => (endpoint ? reply : error(404, 'invalid_request_error', 'not_found')),
    }));
    const { code, stderr } = await run([target.url]);
    expect(stderr).toMatch(
      /^conformance: no model to ask for: GET \/v1\/models returned 404 \(application\/json\) \{"error.*\. Check that the URL is that of a gateway; if it is, name a model with --model\n$/,
    );
    expect(code).toBe(2);
    expect((await run([target.url, '--model', catalogModel])).code).toBe(0);
  });

  it('2: a model that the target does not serve, in one line', async () => {
    await using target = await startFakeTarget();
    const { code, stdout, stderr } = await runProcess([target.url, '--model', 'nope/x']);
    expect(stderr).toBe(
      'conformance: the target does not serve the model "nope/x" (400 with code "invalid_request": No.). Name another model with --model\n',
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('3: nothing failed, but some requirements could not be exercised', async () => {
    await using target = await startFakeTarget(() => ({ readsBodyFirst: false }));
    const { code, stdout } = await run([target.url]);
    expect(stdout).toMatch(new RegExp(`INCOMPLETE: v1 · profiles free · \\d+ of ${freeMust} MUST verified`));
    expect(code).toBe(3);
  });

  it('3: no MUST in scope', async () => {
    await using target = await startFakeTarget();
    const { code, stdout } = await runProcess([target.url, '--filter', 'unpaid.402.body']);
    expect(stdout).toContain('No MUST is in scope');
    expect(stdout).toContain('INCOMPLETE: v1 · profiles free · only unpaid.402.body… · 0 of 0 MUST verified');
    expect(code).toBe(3);
  });

  it('4: a fault of the suite', async () => {
    await using target = await startFakeTarget();
    const { code, stdout } = await runProcess([target.url], {
      NODE_OPTIONS: `--import ${noNetwork}`,
    });
    expect(stdout).toContain('FAULT OF THE SUITE');
    expect(code).toBe(4);
    const outside = await runProcess(['http://127.0.0.1:1'], { NODE_OPTIONS: `--import ${noNetwork}` });
    expect(outside.stderr).toContain('fault of the suite: the suite is broken on purpose');
    expect(outside.code).toBe(4);
  });
});

describe('the command line', () => {
  it('pays with a key from the environment and prints only JSON', async () => {
    await using target = await startFakeTarget();
    const { code, stdout, stderr } = await run(
      [target.url, '--profile', 'free,signed,paid', ...caps, '--json', '--report', 'report.json'],
      { CONFORMANCE_KEY: target.payerKey },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report: Report = JSON.parse(stdout);
    expect(report).toMatchObject({
      schemaVersion: 1,
      contractVersion: 'v1',
      target: target.url,
      profiles: ['free', 'signed', 'paid'],
      caps: { perRequestUnits: '2000', totalUnits: '100000' },
      verdict: 'conformant',
      must: countAll({ profiles: profilesOfAll }),
    });
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toEqual(report);
    expect(stdout).not.toContain(target.payerKey.slice(2));
  });

  it('tests a devnet gateway with all three profiles and the devnet key', async () => {
    await using target = await startFakeTarget();
    mkdirSync(join(folder, '.data/devnet'), { recursive: true });
    writeKey(target.payerKey, join(folder, '.data/devnet/payer.key'));
    const { code, stdout } = await run([target.url]);
    const must = mustIn({ profiles: profilesOfAll });
    expect(stdout).toContain(`profiles free+signed+paid · ${must} of ${must} MUST verified`);
    expect(code).toBe(0);
    expect((await run([target.url, '--profile', 'free'])).stdout).toContain('profiles free ·');
  });

  it('prints the plan of a dry run and sends nothing', async () => {
    writeKey(`0x${'44'.repeat(32)}`, join(folder, 'payer.key'));
    const args = ['http://127.0.0.1:1', '--profile', 'all', '--key-file', 'payer.key', ...caps, '--dry-run'];
    const { code, stdout } = await run(args);
    expect(stdout).toContain(
      `Would sign at most ${paymentsMaxDefault} payments, for at most ${2_000 * paymentsMaxDefault} of the token's smallest unit. Nothing was sent, and no report was written.`,
    );
    expect(code).toBe(0);
    const free = JSON.parse(
      (await run(['http://127.0.0.1:1', '--dry-run', '--json', '--filter', 'offer.'])).stdout,
    );
    expect(free).toMatchObject({ profiles: ['free'], paymentsMax: 0, signedUnitsMax: '0' });
    expect(free.checks).toHaveLength(
      checks.filter(({ requirement }) => requirement.startsWith('offer.')).length,
    );
  });

  it('adds up repeated --profile options', async () => {
    const { stdout } = await run([
      'http://127.0.0.1:1',
      '--profile',
      'signed',
      '--profile',
      'free',
      '--dry-run',
    ]);
    expect(stdout).toContain('Would test http://127.0.0.1:1 with the profiles free+signed:');
  });

  it('checks in a dry run that the journal is writable, and does not change it', async () => {
    writeKey(`0x${'44'.repeat(32)}`, join(folder, 'payer.key'));
    const paying = ['--profile', 'paid', '--key-file', 'payer.key', ...caps, '--dry-run'];
    expect((await run(['http://127.0.0.1:1', ...paying])).code).toBe(0);
    expect(existsSync(join(folder, 'conformance-spend.jsonl'))).toBe(false);
    writeFileSync(join(folder, 'half.jsonl'), '{"half');
    expect((await run(['http://127.0.0.1:1', ...paying, '--journal', 'half.jsonl'])).code).toBe(0);
    expect(readFileSync(join(folder, 'half.jsonl'), 'utf8')).toBe('{"half');
    for (const [path, reason] of [
      ['no/such/folder.jsonl', 'cannot be written: the folder no/such does not exist (ENOENT)'],
      ['.', 'cannot be written: the path is a folder (EISDIR)'],
    ] as const) {
      const { code, stdout, stderr } = await run(['http://127.0.0.1:1', ...paying, '--journal', path]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toBe(`conformance: the journal ${path} ${reason}\n`);
    }
  });

  it.each([
    ['its report', [], 0],
    ['its help', ['--help'], 0],
    ['its fault', ['--filter', 'zzz'], 2],
  ])('keeps the exit code when %s is written to a closed pipe', async (_, args, code) => {
    await using target = await startFakeTarget();
    const child = spawn(process.execPath, [cli, target.url, ...args], { cwd: folder, env: plainEnvironment });
    child.stdout.destroy();
    // A file descriptor for the output keeps the other streams readable.
    if (code === 2) child.stderr.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const ended = await new Promise((resolve) => child.on('close', resolve));
    expect([ended, stderr]).toEqual([code, '']);
  });

  it('prints the help', async () => {
    const { code, stdout } = await runProcess(['--help']);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain(
      "cap on all signed payments together, in the token's smallest unit; required for paid",
    );
    expect(words).toContain("spends at most 100000 of the token's smallest unit per request");
    expect(words).toContain('npm run -s');
    expect(stdout).toMatch(/^Exit codes:\n {2}0 {2}conformant in scope/m);
    expect(code).toBe(0);
  });
});
