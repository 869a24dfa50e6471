import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { type LedgerNetwork, startLedgerNetwork } from '../devnet/ledger-network.ts';
import { checkLedger } from '../proof/ledger-writer/check-ledger.ts';
import { programEnvironment } from '../testing/program-environment.ts';
import { type Address, parseAddress } from '../types/units.ts';

const program = join(import.meta.dirname, 'deploy-ledger.ts');
let network: LedgerNetwork;
let stop: () => Promise<void>;
let folder: string;
let keyFile: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paid-inference-deploy-'));
  ({ network, stop } = await startLedgerNetwork({ history: 'pruned' }));
  keyFile = join(folder, 'admin.key');
  writeFileSync(keyFile, `${network.adminKey}\n`);
});
afterAll(async () => {
  await stop?.();
  rmSync(folder, { recursive: true, force: true });
});

async function run(args: readonly string[], rpcUrl = network.rpcUrl) {
  const env = { ...programEnvironment, PROOF_LEDGER_RPC_URL: rpcUrl };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}

it('deploys a ledger that a gateway accepts, with the given relayer', async () => {
  const relayer = new Wallet(network.relayerKey).address.toLowerCase() as Address;
  const { stdout, stderr, code } = await run(['--key-file', keyFile, '--relayer', relayer]);
  expect([code, stderr]).toEqual([0, '']);
  const [, id, printed] =
    /^PROOF_LEDGER_CHAIN_ID=(\d+)\nPROOF_LEDGER_CONTRACT=(0x\w{40})\n$/.exec(stdout) ?? [];
  const contract = parseAddress(printed ?? '');
  if (contract === null) throw new Error(stdout);
  const rpc = createHttpRpc({ url: network.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_048_576 });
  expect(await checkLedger(rpc, { chainId: Number(id), contract }, relayer)).toEqual({
    kind: 'right',
    missingRoles: [],
  });
  await rpc.close();
});

it('prints each fault in one line, without the key and the URL', async () => {
  const broken = join(folder, 'broken.key');
  writeFileSync(broken, '0x5ecret');
  const poor = join(folder, 'poor.key');
  writeFileSync(poor, `0x${'5e'.repeat(32)}`);
  const [wrong, bare, relayer, url, refused, away] = await Promise.all([
    run(['--key-file', broken]),
    run([]),
    run(['--key-file', keyFile, '--relayer', '0x12']),
    run(['--key-file', keyFile], 'ftp://k3y-s3cret'),
    run(['--key-file', poor]),
    run(['--key-file', keyFile], 'http://127.0.0.1:1/k3y-s3cret'),
  ]);
  expect([wrong, bare, relayer, url, refused, away].map(({ code }) => code)).toEqual([2, 2, 2, 2, 1, 1]);
  expect(wrong.stderr).toMatch(/broken\.key holds no private key/);
  expect(bare.stderr).toMatch(/--key-file/);
  expect(relayer.stderr).toMatch(/--relayer/);
  expect(url.stderr).toMatch(/PROOF_LEDGER_RPC_URL/);
  const account = new Wallet(`0x${'5e'.repeat(32)}`).address;
  expect(refused.stderr).toBe(
    `Not deployed: the account ${account} has no ether for gas on chain ${network.chainId}. Send it ether, and run this command again.\n`,
  );
  expect(away.stderr).toMatch(
    /^Not deployed: the node does not respond .*ECONNREFUSED.* change PROOF_LEDGER_RPC_URL\.\n$/,
  );
  const said = [wrong, bare, relayer, url, refused, away].map(({ stdout, stderr }) => stdout + stderr).join();
  expect(said).not.toMatch(/5ecret|s3cret|5e5e/);
});

it('prints the reason when the key file cannot be read', async () => {
  const [missing, aFolder] = await Promise.all([
    run(['--key-file', join(folder, 'missing.key')]),
    run(['--key-file', folder]),
  ]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/missing\.key cannot be read \(ENOENT\)/),
  });
  expect(aFolder).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot be read \(EISDIR\)/) });
});

it('does not repeat a key that stands for the name of its file', async () => {
  const { code, stdout, stderr } = await run(['--key-file', `0x${'1f'.repeat(32)}`]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('--key-file is a key, and must name a file that holds one.');
  expect(stderr).not.toContain('1f1f');
});
