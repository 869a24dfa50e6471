import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBalances } from './demo/chain-check.ts';
import { type GatewayProcess, startGatewayProcess } from './demo/gateway-process.ts';
import { openToken, type Token } from './token.ts';

// Go compiles its standard library at the first run, which takes a minute on a busy machine.
const timeout = 300_000;
const page = readFileSync(new URL('OTHER-LANGUAGES.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'paid-inference-languages-'));
// The tests use no network: Go takes the module from its cache, and Python the installed library.
const environment = { ...process.env, GOPROXY: 'off', GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
writeFileSync(join(folder, 'buy.py'), readBlock('python'));
writeFileSync(join(folder, 'buy.go'), readBlock('go'));

const noPython = reasonUnless('python3 --version', 'This machine has no python3.');
const noLibrary =
  noPython ??
  reasonUnless('python3 -c "import eth_account"', 'python3 has no eth-account. Run pip install eth-account.');
const noGo = reasonUnless('go version', 'This machine has no go.');
const fetchModule = /^go mod init .*$/m.exec(page)?.[0] ?? 'false';
const noModule =
  noGo ?? reasonUnless(fetchModule, 'The module cache of go has no go-ethereum. Run the go get of the page.');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(noPython)(title('The program in Python is valid Python', noPython), () => {
  expect(runNow('python3 -m py_compile buy.py')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test.skipIf(noGo)(title('The program in Go is valid, formatted Go', noGo), () => {
  expect(runNow('gofmt -l buy.go')).toEqual({ status: 0, stdout: '', stderr: '' });
});

describe.skipIf(noLibrary && noModule)('Against a gateway with a devnet,', { timeout }, () => {
  let gateway: GatewayProcess;
  let token: Token;
  beforeAll(async () => {
    gateway = await startGatewayProcess(new AbortController().signal);
    token = openToken(gateway.ready.chain.rpcUrl, gateway.ready.token.address);
  });
  afterAll(async () => {
    token.close();
    await gateway.stop();
  });

  test.skipIf(noLibrary)(title('the program in Python buys one completion', noLibrary), () =>
    expectPurchase(/^python3 buy\.py/m),
  );

  test.skipIf(noModule)(title('the program in Go buys one completion', noModule), () =>
    expectPurchase(/^go run \./m),
  );

  test.skipIf(noLibrary)(title('the program in Python pays no other recipient', noLibrary), () =>
    expectRefusal(/^python3 buy\.py/m),
  );

  test.skipIf(noModule)(title('the program in Go pays no other recipient', noModule), () =>
    expectRefusal(/^go run \./m),
  );

  const balances = () => readBalances(token, gateway.ready.payer.address, gateway.ready.payTo);

  async function expectPurchase(command: RegExp): Promise<void> {
    const before = await balances();
    const { code, stdout, stderr } = await run(command, gateway.ready.payTo);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [completion, txHash = ''] = stdout.trim().split('\n');
    expect(completion).toBe('6 * 7 = 42.');
    expect(await token.transaction(txHash)).toMatchObject({ status: 1 });
    const after = await balances();
    expect(after.payee).toBeGreaterThan(before.payee);
    expect(after.payee - before.payee).toBe(before.payer - after.payer);
  }

  async function expectRefusal(command: RegExp): Promise<void> {
    const before = await balances();
    const { code, stderr } = await run(command, `0x${'22'.repeat(20)}`);
    expect(code).toBe(1);
    expect(stderr).toContain('The offer has another token or recipient.');
    expect(await balances()).toEqual(before);
  }

  /** Runs the page's command, with the URL, key file, token and recipient of this gateway. */
  async function run(command: RegExp, recipient: string) {
    const { url, payer, token: sold } = gateway.ready;
    const start = command.exec(page)?.[0] ?? 'false';
    const line = [start, url, payer.keyFile, sold.address, recipient].join(' ');
    const child = spawn('sh', ['-c', line], { cwd: folder, env: environment });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }
});

function readBlock(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  if (code === undefined) throw new Error(`OTHER-LANGUAGES.md has no program in ${language}`);
  return code;
}

function runNow(command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** Returns the reason to skip a test, or undefined if the command succeeds. */
function reasonUnless(command: string, reason: string): string | undefined {
  return runNow(command).status === 0 ? undefined : reason;
}

/** A skipped test shows its reason in its name. */
function title(name: string, reason: string | undefined): string {
  return reason === undefined ? name : `${name} (skipped: ${reason})`;
}
