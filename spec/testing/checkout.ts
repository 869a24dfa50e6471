import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Wallet } from 'ethers';
import { packages } from '../scripts/sources.ts';

type Run = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A temporary folder that looks like the repository, and a gateway that `npm start` runs in it. */
export type Checkout = {
  /** The lines that `npm start` printed. */
  readonly started: string;
  /** Replaces the example URL and each value with "…" by the value of this gateway. */
  fill(code: string): string;
  run(command: string): Promise<Run>;
  /** Writes a file that only this user can read, and returns its path. */
  write(name: string, content: string): string;
  close(): Promise<void>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const shared = ['package.json', 'tsconfig.json', '.config', 'node_modules', ...packages];

/** Opens a checkout, and starts its gateway on a free port. */
export async function openCheckout(): Promise<Checkout> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-pages-'));
  for (const name of shared) symlinkSync(join(root, name), join(folder, name));
  const environment = {
    // The pinned Node runs npm and its scripts. Variables of the test run may configure another gateway.
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    NO_COLOR: '1',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const start = (command: string, more: Record<string, string> = {}) =>
    spawn('sh', ['-c', command], {
      cwd: folder,
      env: { ...environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  const gateway = start('npm start', { PORT: '0' });
  const ended = new Promise((resolve) => gateway.once('close', resolve));
  const write = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  async function close(): Promise<void> {
    // npm, its shell and the gateway are one process group.
    if (gateway.pid !== undefined && gateway.exitCode === null) process.kill(-gateway.pid, 'SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    const started = await readStart(gateway);
    const values = readValues(started);
    write('payer.key', readFileSync(join(folder, '.data/devnet/payer.key'), 'utf8'));
    const [admin, ledgerKey] = [Wallet.createRandom(), Wallet.createRandom()];
    write('admin.key', admin.privateKey);
    write('ledger.key', ledgerKey.privateKey);
    await fundGas(values.ledgerRpcUrl, admin.address);
    return {
      started,
      fill: (code) => fillIn(code, values),
      async run(command) {
        const child = start(command, { PAID_INFERENCE_URL: values.url });
        const code = new Promise<number | null>((resolve) => child.once('close', resolve));
        const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
        return { code: await code, stdout, stderr };
      },
      write,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Resolves with the output of `npm start` when its last line is there. */
function readStart({ stdout, stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let [printed, logged] = ['', ''];
    stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes('Stop:')) resolve(printed);
    });
    stderr?.on('data', (chunk) => {
      logged += String(chunk);
    });
    stdout?.once('close', () => reject(new Error(`npm start ended early: ${logged}`)));
  });
}

/** Gives ether to an account of the devnet. */
async function fundGas(rpcUrl: string, address: string): Promise<void> {
  const ether = `0x${(10n ** 18n).toString(16)}`;
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'anvil_setBalance',
    params: [address, ether],
  });
  await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
}

type Values = {
  readonly url: string;
  readonly ledgerRpcUrl: string;
  readonly named: Readonly<Record<string, string>>;
};

/** Reads URLs and contracts from the lines of `npm start`. */
function readValues(started: string): Values {
  const read = (pattern: RegExp) => {
    const [, value] = pattern.exec(started) ?? [];
    if (value === undefined) throw new Error(`npm start printed nothing that matches ${pattern}: ${started}`);
    return value;
  };
  const [url, payTo] = [read(/gateway +(http\S+)/), read(/Paid to +(0x\w+)/)];
  const [chainRpc, ledgerRpc] = [read(/--chain-rpc (\S+)/), read(/--ledger-rpc (\S+)/)];
  const [token, ledger] = [read(/--token (\S+)/), read(/--ledger (\S+)/)];
  const tokenName = read(/Token +(\S.*) at 0x/);
  const named = {
    '--chain-rpc': chainRpc,
    '--ledger-rpc': ledgerRpc,
    '--token': token,
    '--ledger': ledger,
    '--relayer': payTo,
    '--': '"What is 6 times 7?"',
    CHAIN_RPC_URL: chainRpc,
    TOKEN_ADDRESS: token,
    TOKEN_NAME: `"${tokenName}"`,
    PAY_TO: payTo,
    FACILITATOR_TOKEN: 'token',
    PROOF_LEDGER_RPC_URL: ledgerRpc,
    PROOF_LEDGER_CHAIN_ID: read(/on eip155:(\d+), embedded/),
    PROOF_LEDGER_CONTRACT: ledger,
    rpcUrl: chainRpc,
    asset: token,
    payTo,
  };
  return { url, ledgerRpcUrl: ledgerRpc, named };
}

function fillIn(code: string, { url, named }: Values): string {
  return (
    code
      // A public base URL of this machine would not be https.
      .replaceAll(/(?<!PUBLIC_BASE_URL=|publicBaseUrl: )https:\/\/gateway\.example|<url>/g, url)
      .replaceAll(
        /([\w-]+)(=| |: )("?)[^\s",=]*…"?/g,
        (placeholder, name: string, between: string, quote) => {
          const value = named[name];
          if (value === undefined) return placeholder;
          return `${name}${between}${value.startsWith('"') ? value : `${quote}${value}${quote}`}`;
        },
      )
  );
}
