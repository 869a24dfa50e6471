import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedExchange } from '@paid-inference/contract/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliFixture, openCliFixture } from '../testing/cli.ts';
import type { Enclave } from '../testing/enclave.ts';
import { startFixedServer, startTestNode } from '../testing/node.ts';
import { createRecord, type Scene, setScene } from '../testing/proven.ts';
import { decodeProof, withProof } from '../testing/tamper.ts';

let scene: Scene;
let enclave: Enclave;
let cli: CliFixture;
let bought: SavedExchange;

beforeAll(async () => {
  [scene, cli] = await Promise.all([setScene(), openCliFixture()]);
  enclave = await scene.enclave();
  bought = await scene.exchange(enclave, 'batch');
  await scene.recordBatch([decodeProof(bought)]);
});
afterAll(async () => {
  await cli[Symbol.asyncDispose]();
  await scene[Symbol.asyncDispose]();
});

/** The options for the nodes of both chains, without those that a test gives itself. */
function nodes(given: readonly string[] = []): readonly string[] {
  const both = { '--ledger-rpc': scene.ledgerChain.url, '--chain-rpc': scene.paymentChain.url };
  return Object.entries(both).flatMap((option) => (given.includes(option[0]) ? [] : option));
}

function run(exchange: SavedExchange, ...given: readonly string[]) {
  const file = cli.file('exchange.json', JSON.stringify(exchange));
  return cli.run(['verify', file, ...nodes(given), ...given]);
}

describe('verify', () => {
  test('marks every true step, names the proof ledger that it used, and exits 0', async () => {
    const { exitCode, stdout, stderr } = await run(bought);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /^✓ hashes +request.*\n✓ signature +.*\n✓ key +.*\n✓ attestation +not a TEE.*\n✓ inclusion +.*\n✓ payment +.*\n {2}ledger +0x.* on chain 31740, named by the proof; pin it with --ledger\n$/,
    );
    expect(stdout).not.toContain('\u001b[');
    const pinned = await run(bought, '--ledger', scene.ledger.verifyingContract, '--token', scene.token);
    expect([pinned.exitCode, pinned.stdout]).toEqual([0, expect.stringContaining('named by you')]);
  });

  test('marks a false step and exits 1', async () => {
    const { response } = bought;
    const changed = { ...bought, response: { ...response, body: response.body.replace('pong', 'pang') } };
    const { exitCode, stdout, stderr } = await run(changed);
    expect([exitCode, stderr]).toEqual([1, 'paid-inference: false: hashes\n']);
    expect(stdout).toMatch(/^✗ hashes +the response is not the one of the proof/);
  });

  test('marks an unknown step, exits 3, and waits with --wait', async () => {
    const pending = await scene.exchange(enclave, 'batch');
    const proof = decodeProof(pending);
    scene.records.set(proof.proofId, createRecord(proof, 'pending'));
    const { exitCode, stdout, stderr } = await run(pending);
    expect([exitCode, stderr]).toEqual([3, 'paid-inference: unknown: inclusion\n']);
    expect(stdout).toMatch(/\n\? inclusion +the gateway has not formed its batch yet\n/);
    const [waited] = await Promise.all([run(pending, '--wait', '15'), scene.recordBatch([proof])]);
    expect(waited.exitCode).toBe(0);
  });

  test('prints one JSON object with --json', async () => {
    const { exitCode, stdout, stderr } = await run(bought, '--json', '--require-hardware');
    expect([exitCode, stderr, stdout.split('\n').length]).toEqual([
      1,
      'paid-inference: false: attestation\n',
      2,
    ]);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'verification',
      verdict: 'false',
      ledger: { chainId: 31_740, contract: scene.ledger.verifyingContract, isPinned: false },
      steps: ['hashes', 'signature', 'key', 'attestation', 'inclusion', 'payment'].map((step) => ({
        step,
        verdict: step === 'attestation' ? 'false' : 'true',
        sentence: expect.any(String),
      })),
    });
  });

  test('asks for fresh evidence and compares measurements with the expected ones', async () => {
    scene.fresh = (nonce) => enclave.attest(nonce);
    const { exitCode, stdout } = await run(bought, '--fresh');
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/\n✓ freshness +not a TEE/)]);
    const measured = await run(bought, '--measurement', 'PCR0=00', '--measurement', 'PCR1=01');
    expect([measured.exitCode, measured.stdout]).toEqual([
      1,
      expect.stringMatching(/\n✗ attestation +the evidence has no measurement PCR0\n/),
    ]);
  });

  test("saves the gateway's statements with --keep and then needs no gateway", async () => {
    const file = cli.file('kept.json', JSON.stringify(bought));
    const kept = await cli.run(['verify', file, ...nodes(), '--keep']);
    expect(kept.exitCode).toBe(0);
    const { attestation, proof } = JSON.parse(readFileSync(file, 'utf8'));
    expect([attestation.signer, proof.status]).toEqual([enclave.key.address, 'recorded']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const alone = await cli.run(['verify', file, ...nodes(), '--gateway', 'http://127.0.0.1:9']);
    expect(alone.exitCode).toBe(0);
  });

  test.each([
    ['a missing file', ['none.json'], /none\.json cannot be read: ENOENT$/],
    ['a file that is not an exchange', [], /is not a saved exchange: \/request must be object$/],
    ['no file argument', null, /missing required argument 'file'/],
    ['a ledger that is not an address', ['x', '--ledger', '0x12'], /It must be an address/],
    ['a measurement without a value', ['x', '--measurement', 'PCR0'], /It must be name=value/],
    ['a wait that is not a number', ['x', '--wait', 'long'], /It must be a whole number of seconds/],
  ])('exits 2 for %s', async (_, given, sentence) => {
    const other = cli.file('other.json', JSON.stringify({ ...bought, request: 1 }));
    const words = given === null ? [] : given.length === 0 ? [other] : given;
    const { exitCode, stdout, stderr } = await cli.run(['verify', ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd().replace(/ \(--help.*\)$/, '')).toMatch(sentence);
  });

  test('exits 2 for collateral or keys that are missing or not JSON', async () => {
    const broken = await run(bought, '--collateral', cli.file('collateral.json', '{'));
    expect([broken.exitCode, broken.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be read: not a JSON object'),
    ]);
    const missing = await run(bought, '--jwks', join('no', 'such.json'));
    expect([missing.exitCode, missing.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be read: ENOENT'),
    ]);
  });
});

describe('A malicious party', () => {
  const obeyed =
    '\u001b[1A\u001b[2K\r\u001b[32m✓ attestation   all is well\u009b0m\u202e\n✓ inclusion     it is there';

  test('that returns control characters as a gateway or node does not control the terminal', async () => {
    await using gateway = await startFixedServer((response) => {
      const error = { message: obeyed, type: 'server_error', code: 'internal_error', param: null };
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error }));
    });
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = await run(bought, '--gateway', gateway.url, ...more);
      expect(stdout).toContain('all is well');
      expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
      expect(stdout).not.toMatch(/^✓ (attestation|inclusion)/m);
    }
  });

  test('that wrote the file does not control the terminal', async () => {
    const { attestation } = decodeProof(bought);
    const forged = withProof(bought, { attestation: { ...attestation, provider: obeyed } });
    const { stdout, stderr } = await run(forged);
    expect(stdout).toContain('\\u{1b}[1A');
    expect(stdout + stderr).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u);
  });

  test('whose node returns garbage makes steps unknown, not false', async () => {
    await using node = await startTestNode(scene.ledgerChain.url, async () => null);
    for (const flag of ['--ledger-rpc', '--chain-rpc']) {
      const { exitCode, stderr } = await run(bought, flag, node.url);
      expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^paid-inference: unknown: /)]);
    }
  });
});

test('An internal error of verify exits 4 and does not print its message', async () => {
  const broken =
    "data:text/javascript,String.prototype.padEnd = () => { throw new TypeError(['a', 'secret'].join(' ')) }";
  const file = cli.file('sound.json', JSON.stringify(bought));
  const environment = { NODE_OPTIONS: `--import "${broken}"` };
  const { exitCode, stdout, stderr } = await cli.run(['verify', file, ...nodes()], environment);
  expect([exitCode, stdout]).toEqual([4, '']);
  expect(stderr).toMatch(/^paid-inference: internal error: TypeError at .*\n$/);
  expect(stderr).not.toContain('a secret');
});

describe('--save', () => {
  test("writes request and response, with only the contract's headers, into a file with mode 600", async () => {
    const file = cli.file('x', '').replace(/x$/, 'saved.json');
    const { exitCode, stdout } = await cli.run([
      'chat',
      'Say pong.',
      '--save',
      file,
      '--settlement-type',
      'private',
    ]);
    expect([exitCode, stdout]).toEqual([0, 'pong\n']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    const paid = cli.gateway.paid().at(-1);
    expect(saved).toEqual({
      format: 'paid-inference/exchange/v1',
      request: {
        method: 'POST',
        url: `${cli.gateway.url}/v1/chat/completions`,
        headers: {
          'content-type': 'application/json',
          'x-payment': paid?.payment,
          'x-settlement-type': 'private',
        },
        body: paid?.body,
      },
      response: {
        status: 200,
        headers: {
          'content-type': 'application/json',
          'x-payment-response': expect.any(String),
          'x-request-id': 'request-1',
        },
        body: expect.stringContaining('pong'),
      },
    });
  });

  test('pays nothing when the file exists, and leaves no file when nothing was bought', async () => {
    const taken = cli.file('taken.json', 'mine');
    const before = cli.gateway.received.length;
    const refused = await cli.run(['complete', 'ping', '--save', taken]);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      `paid-inference: ${taken} exists, and an exchange is never overwritten. Name a new file\n`,
    ]);
    expect([readFileSync(taken, 'utf8'), cli.gateway.received.length]).toEqual(['mine', before]);
    const free = taken.replace('taken', 'free');
    const dear = await cli.run(['complete', 'ping', '--save', free, '--max-price', '1']);
    expect(dear.exitCode).toBe(1);
    expect(() => statSync(free)).toThrow('ENOENT');
  });

  test('prints the completion and names the file when the disk is full after the payment', async () => {
    const path = cli.file('x', '').replace(/x$/, 'full.json');
    const { exitCode, stdout, stderr } = await cli.runWithoutDisk(['chat', 'Say pong.', '--save', path]);
    expect([exitCode, stdout]).toEqual([3, 'pong\n']);
    expect(stderr).toContain(`${path} cannot be written: EFBIG. The exchange is not saved.`);
    expect(() => statSync(path)).toThrow('ENOENT');
  });
});
