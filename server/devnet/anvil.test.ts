import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { anvilBinary } from './anvil-binary.ts';

const started: Anvil[] = [];
const parents: ChildProcess[] = [];

afterEach(async () => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  await Promise.all(started.splice(0).map((anvil) => anvil.stop()));
});

async function start(options: Parameters<typeof startAnvil>[0]): Promise<Anvil> {
  const anvil = await startAnvil(options);
  started.push(anvil);
  return anvil;
}

async function ask(rpcUrl: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 2_000, responseBytesMax: 100_000 });
  const response = await rpc.call(method, params);
  await rpc.close();
  return response.ok ? response.value : response.fault;
}

const gone = { kind: 'unavailable', message: expect.stringContaining('ECONNREFUSED') };

/** Lists all processes, as [pid, parent's pid, command line]. */
function processes(): [number, number, string][] {
  // `-ww` makes the output independent of the terminal's width.
  const list = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return list
    .trim()
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? ['', '0', '0', ''])
    .map(([, pid, parent, command]) => [Number(pid), Number(parent), command ?? '']);
}

test('A chain has the given id, no accounts with published keys, and ends on stop', async () => {
  const { rpcUrl, stop } = await start({ chainId: 84_532, history: 'pruned' });
  expect(await ask(rpcUrl, 'eth_chainId')).toBe('0x14a34');
  expect(await ask(rpcUrl, 'eth_accounts')).toEqual([]);
  await stop();
  expect(await ask(rpcUrl, 'eth_chainId')).toEqual(gone);
  await stop();
});

test('Chains that start at the same time have separate ports and states', async () => {
  const chains = await Promise.all([1, 2, 3, 4].map((chainId) => start({ chainId, history: 'pruned' })));
  expect(new Set(chains.map(({ rpcUrl }) => rpcUrl)).size).toBe(4);
  const ids = await Promise.all(chains.map(({ rpcUrl }) => ask(rpcUrl, 'eth_chainId')));
  expect(ids).toEqual(['0x1', '0x2', '0x3', '0x4']);
});

test('A chain with a block time makes a block without any transaction', async () => {
  const { rpcUrl } = await start({ chainId: 1, blockTimeSeconds: 1, history: 'pruned' });
  await expect.poll(() => ask(rpcUrl, 'eth_blockNumber')).not.toBe('0x0');
});

test('A pruned chain still responds for blocks that are slightly older than the newest', async () => {
  const { rpcUrl } = await start({ chainId: 1, history: 'pruned' });
  await ask(rpcUrl, 'anvil_mine', ['0x20']);
  const nobody = { to: `0x${'11'.repeat(20)}`, data: '0x' };
  expect(await ask(rpcUrl, 'eth_call', [nobody, '0x1e'])).toBe('0x');
});

test('A chain that continues another one has its state, and calculates no state root', async () => {
  const someone = `0x${'11'.repeat(20)}`;
  const first = await start({ chainId: 1, history: 'pruned' });
  await ask(first.rpcUrl, 'anvil_setBalance', [someone, '0x7']);
  await ask(first.rpcUrl, 'evm_mine');
  const second = await start({ chainId: 1, history: 'pruned', forkUrl: first.rpcUrl });
  await ask(second.rpcUrl, 'evm_mine');
  expect(await ask(second.rpcUrl, 'eth_getBalance', [someone, 'latest'])).toBe('0x7');
  const rootOf = async ({ rpcUrl }: Anvil) =>
    ((await ask(rpcUrl, 'eth_getBlockByNumber', ['latest', false])) as { stateRoot: string }).stateRoot;
  expect(await rootOf(first)).not.toMatch(/^0x0+$/);
  expect(await rootOf(second)).toMatch(/^0x0+$/);
});

test('A chain that keeps its history can be reorganised', async () => {
  const { rpcUrl } = await start({ chainId: 1, history: 'kept' });
  await ask(rpcUrl, 'anvil_mine', ['0x2']);
  expect(await ask(rpcUrl, 'anvil_reorg', [1, []])).toBe(null);
});

describe('The chain ends with the process that started it', () => {
  /** A process that starts a chain, prints its URL, and then waits. */
  async function startParent(): Promise<{ parent: ChildProcess; rpcUrl: string }> {
    const module = pathToFileURL(join(import.meta.dirname, 'anvil.ts')).href;
    const script = `
      const { startAnvil } = await import(${JSON.stringify(module)});
      const { rpcUrl } = await startAnvil({ chainId: 1, history: 'pruned' });
      process.on('SIGINT', () => process.stdout.write('interrupted'));
      process.stdout.write(rpcUrl);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    parents.push(parent);
    const [rpcUrl] = await once(parent.stdout.setEncoding('utf8'), 'data');
    expect(await ask(rpcUrl, 'eth_chainId')).toBe('0x1');
    return { parent, rpcUrl };
  }

  const isGone = (rpcUrl: string) => expect.poll(() => ask(rpcUrl, 'eth_chainId')).toEqual(gone);

  test('when it is killed with SIGKILL', async () => {
    const { parent, rpcUrl } = await startParent();
    parent.kill('SIGKILL');
    await isGone(rpcUrl);
  });

  test('when its whole process group is killed with SIGKILL', async () => {
    const { parent, rpcUrl } = await startParent();
    process.kill(-(parent.pid ?? Number.NaN), 'SIGKILL');
    await isGone(rpcUrl);
  });

  test('but not at Ctrl-C, which goes to the whole group, while the process drains', async () => {
    const { parent, rpcUrl } = await startParent();
    process.kill(-(parent.pid ?? Number.NaN), 'SIGINT');
    if (parent.stdout === null) throw new Error('no output');
    expect(await once(parent.stdout, 'data')).toEqual(['interrupted']);
    expect(await ask(rpcUrl, 'eth_chainId')).toBe('0x1');
  });

  test('also when the supervisor is killed', async () => {
    const { rpcUrl } = await start({ chainId: 1, history: 'pruned' });
    const supervisor = processes().find(
      ([, parent, command]) => parent === process.pid && /keep-anvil/.test(command),
    );
    process.kill(supervisor?.[0] ?? Number.NaN, 'SIGKILL');
    await isGone(rpcUrl);
  });
});

test('A platform without a build of anvil gets an error of one line', () => {
  expect(() => anvilBinary('sunos', 'x64')).toThrow(
    /^The embedded chain cannot run here: anvil is not built for sunos-x64\. Set CHAIN_RPC_URL to the node of a chain\.$/,
  );
});

test('The error for a missing build names its package', () => {
  const other = process.platform === 'win32' ? 'linux' : 'win32';
  expect(() => anvilBinary(other, 'x64')).toThrow(/@foundry-rs\/anvil-\w+-amd64 is not installed/);
});
