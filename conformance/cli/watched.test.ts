import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Wallet } from 'ethers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import schema from '../report/report.schema.json' with { type: 'json' };
import { type Asked, startGreedyTarget } from '../testing/greedy-target.ts';
import { plainEnvironment } from '../testing/run-cli.ts';

const cli = fileURLToPath(new URL('../cli.ts', import.meta.url));
const stubborn = fileURLToPath(new URL('../testing/stubborn-run.ts', import.meta.url));
const payer = Wallet.createRandom();
const total =
  "signed 1 payment, 1234 of the token's smallest unit in all; it is unknown whether these settled: 0xabc";
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-ways-out-'));
  writeFileSync(join(folder, 'payer.key'), payer.privateKey);
  chmodSync(join(folder, 'payer.key'), 0o600);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Started = { readonly child: ChildProcess; readonly ended: Promise<Ended> };
type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

function start(
  script: string,
  args: readonly string[],
  onOutput: (child: ChildProcess, output: string) => void = () => undefined,
): Started {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    onOutput(child, stdout);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  );
  return { child, ended };
}

const readRows = (file: string): { state: string; nonce: string; value: string }[] =>
  readFileSync(join(folder, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('an interrupted run', () => {
  const paying = [
    '--profile',
    'paid',
    '--key-file',
    'payer.key',
    '--max-total',
    '9000',
    '--max-per-request',
    '2000',
  ];

  async function endedBy(signal: NodeJS.Signals, more: readonly string[] = []) {
    let run: Started | undefined;
    await using target = await startGreedyTarget(payer.address, ({ isPaid, response, offer }: Asked) => {
      // The payment gets no response: the signal comes while its request is open.
      if (isPaid) run?.child.kill(signal);
      else response.writeHead(402, { 'X-PAYMENT-REQUIRED': offer() }).end('{}');
    });
    run = start(cli, [target.url, ...paying, ...more]);
    const ended = await run.ended;
    return { ...ended, taken: [...target.taken.keys()], requests: target.requests() };
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('prints after %s what it has signed, and ends with %i', async (signal, code) => {
    const ended = await endedBy(signal);
    expect(ended.code).toBe(code);
    expect(ended.stdout).toContain('The run was interrupted');
    expect(ended.stdout).toContain('Signed 1 payment, 1000 units in all; served (200): 0 payments, 0 units');
    const [nonce] = ended.taken;
    expect(ended.stdout).toContain(`so they count as spent (nonces): ${nonce}`);
    expect(ended.stdout).toContain('Journal of signed payments: conformance-spend.jsonl');
    expect(readRows('conformance-spend.jsonl')).toMatchObject([
      { state: 'signing', nonce, value: '1000' },
      { state: 'unknown', nonce, value: '1000' },
    ]);
    // Requests for a model, the first offer, the paid offer and the payment; none follow.
    expect(ended.requests).toBe(4);
  });

  it('is marked as interrupted in its report', async () => {
    const { code, stdout } = await endedBy('SIGINT', ['--json', '--report', 'report.json']);
    expect(code).toBe(130);
    const report: unknown = JSON.parse(stdout);
    expect(JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'))).toEqual(report);
    expect(new Ajv2020({ strictRequired: false }).compile(schema)(report)).toBe(true);
    expect(report).toMatchObject({
      isInterrupted: true,
      verdict: 'incomplete',
      exitCode: code,
      spent: { signedUnits: '1000', payments: 1, journal: 'conformance-spend.jsonl' },
    });
  });
});

describe('a journal', () => {
  it('that cannot be written ends the run before anything is sent', async () => {
    await using target = await startGreedyTarget(payer.address, ({ response }) => void response.end());
    const { ended } = start(cli, [
      target.url,
      ...['--profile', 'all', '--key-file', 'payer.key', '--max-total', '9', '--max-per-request', '9'],
      ...['--journal', 'no/such/folder.jsonl'],
    ]);
    expect(await ended).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'conformance: the journal no/such/folder.jsonl cannot be written: the folder no/such does not exist (ENOENT)\n',
    });
    expect(target.requests()).toBe(0);
  });
});

describe('a run that cannot write its report', () => {
  it.each([
    ['throws', 'thrown'],
    ['throws elsewhere', 'thrown elsewhere'],
    ['rejects elsewhere', 'rejected elsewhere'],
  ])('prints what it has signed when it %s', async (way, message) => {
    expect(await start(stubborn, ['spend.jsonl', way]).ended).toMatchObject({
      code: 4,
      stderr: `fault: ${message}\nconformance: ${total} (journal spend.jsonl)\n`,
    });
    expect(readRows('spend.jsonl')).toHaveLength(1);
  });

  it('prints what it has signed at the second signal', async () => {
    const { ended } = start(stubborn, ['spend.jsonl'], (child, output) => {
      child.kill(output.includes('heard') ? 'SIGINT' : 'SIGTERM');
    });
    expect(await ended).toMatchObject({
      code: 143,
      stderr: `conformance: ${total} (journal spend.jsonl)\n`,
    });
  });
});
