import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The builds that anvil's package lists, by Node's name of the platform. */
const builds: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-amd64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-amd64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-amd64',
};
const readyDeadlineMs = 10_000;
const outputLengthMax = 4_096;

/** Ends the chain when the pipe to the suite closes, which also happens when the suite is killed. */
const supervisor = `
import { spawn } from 'node:child_process';
const [binary, ...options] = process.argv.slice(1);
const chain = spawn(binary, options, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
chain.on('error', ({ message }) => { console.error(message); process.exit(1); });
chain.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('close', () => chain.kill('SIGKILL')).resume();
`;

export type Anvil = { readonly rpcUrl: string; stop(): Promise<void> };

/** Starts a chain on a free port of the loopback interface. Throws with the reason if it cannot start. */
export async function startAnvil(chainId: number): Promise<Anvil> {
  const options = ['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`, '--accounts', '0'];
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', supervisor, '--', findBinary(), ...options, '--no-cors'],
    // Its own group: Ctrl-C reaches the suite alone, which ends the chain after its report.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true, windowsHide: true, env: {} },
  );
  const ended = once(child, 'close').catch(() => undefined);
  const stop = async () => {
    child.stdin.destroy();
    await ended;
  };
  try {
    const rpcUrl = `http://127.0.0.1:${await readPort(child)}`;
    return { rpcUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function findBinary(): string {
  const host = `${process.platform}-${process.arch}`;
  const name = `@foundry-rs/anvil-${builds[host] ?? host}`;
  try {
    return require.resolve(`${name}/bin/anvil${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    throw new Error(`${name} is not installed (an optional dependency of @foundry-rs/anvil)`);
  }
}

/** Resolves with the port that anvil prints. */
function readPort({ stdout, stderr }: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = () => {
      clearTimeout(timer);
      reject(new Error(output.trim().split('\n').at(-1) || 'the chain ended or printed no port'));
    };
    const timer = setTimeout(fail, readyDeadlineMs);
    const read = (text: string) => {
      output = (output + text).slice(-outputLengthMax);
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/m.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(port);
    };
    stdout?.setEncoding('utf8').on('data', read).on('close', fail);
    stderr?.setEncoding('utf8').on('data', read);
  });
}
