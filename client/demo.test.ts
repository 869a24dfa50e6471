import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { programEnvironment } from './testing/program-environment.ts';

const demo = join(import.meta.dirname, 'demo.ts');

function start(...given: readonly string[]) {
  const child = spawn(process.execPath, [demo, ...given], {
    // A clean environment: variables of the test run may ask for colours, warnings or another gateway.
    env: programEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, stderr: text(child.stderr) };
}

/** Matches the URLs of the gateway and of its two chains in the demo's output. */
const places = /http:\/\/127\.0\.0\.1:\d+/g;

async function isGone(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  );
}

test('The demo buys two completions from a real gateway, finds both on its chain, verifies the proofs, and leaves no process running', async () => {
  const { child, ended, stderr } = start();
  const [told, exitCode, faults] = await Promise.all([text(child.stdout), ended, stderr]);
  expect([exitCode, faults]).toEqual([0, '']);
  expect(told.match(/order_status\(\{"order_id":"A-1042"\}\) = .*shipped/g)).toHaveLength(1);
  expect(told.match(/✓ 0x[0-9a-f]{64} used the signed nonce and moved \d+ units/g)).toHaveLength(2);
  expect(told).toMatch(/✓ the payer has \d+ units .* less/);
  expect(told).toMatch(/✓ the payee has exactly that much more/);
  const steps = ['hashes', 'signature', 'key', 'attestation', 'inclusion', 'payment'];
  for (const step of steps) expect(told).toMatch(new RegExp(`✓ ${step} +[a-z0-9]`));
  expect(told).toMatch(/✓ inclusion +the proof ledger confirms/);
  expect(told).toContain(`✓ purchase 2: ${steps.join(', ')}\n`);
  expect(told).not.toContain('\u001b[');
  const urls = new Set(told.match(places));
  expect(urls.size).toBe(3);
  for (const url of urls) expect(await isGone(url)).toBe(true);
});

test.each(['--help', '-h'])('%s prints the help and starts no gateway', async (given) => {
  const { child, ended, stderr } = start(given);
  const [told, exitCode, faults] = await Promise.all([text(child.stdout), ended, stderr]);
  expect([exitCode, faults]).toEqual([0, '']);
  expect(told).toMatch(/^Usage: npm run demo\n/);
  expect(told).not.toMatch(places);
});

test('The demo exits 0 when the reader closes the pipe', async () => {
  const { child, ended, stderr } = start('--help');
  child.stdout.destroy();
  expect([await ended, await stderr]).toEqual([0, '']);
});

test.skipIf(process.platform === 'win32').each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  'Interrupted by %s, the demo stops its gateway and chains, says this in one line, and exits %i',
  async (signal, exitCode) => {
    const { child, ended, stderr } = start();
    const told: string[] = [];
    createInterface(child.stdout).on('line', (line) => {
      told.push(line);
      // Gateway and chains run now, and the first purchase is about to begin.
      if (line.includes('payee')) child.kill(signal);
    });
    expect(await ended).toBe(exitCode);
    expect(await stderr).toBe('\nThe demo was interrupted. Its gateway and its chains have stopped.\n');
    const urls = new Set(told.join('\n').match(places));
    expect(urls.size).toBe(3);
    for (const url of urls) expect(await isGone(url)).toBe(true);
  },
);

test.skipIf(process.platform === 'win32')(
  'Interrupted before its gateway is up, the demo prints the same line',
  async () => {
    const { child, ended, stderr } = start();
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await ended).toBe(130);
    expect(await stderr).toBe('\nThe demo was interrupted. Its gateway and its chains have stopped.\n');
  },
);

test('The demo rejects options, because it has none', async () => {
  const { ended, stderr } = start('--json');
  expect(await ended).toBe(2);
  expect(await stderr).toBe(
    'The demo takes no options, but got --json. Run npm run demo -- --help for help.\n',
  );
});

test('The demo prints no private key in a wrong place (D-425)', async () => {
  const { ended, stderr } = start(`0x${'5e'.repeat(32)}`);
  expect(await ended).toBe(2);
  expect(await stderr).toContain('but got <secret>. Run');
});
