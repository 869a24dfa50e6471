import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { anvilBinary } from './anvil-binary.ts';

/** Anvil answers within 100 ms where it can run at all; this is for a machine that is very busy. */
const readyDeadlineMs = 10_000;
const pollIntervalMs = 10;
/** Longer than the supervisor's own deadline, so that it is the one that ends anvil. */
const stopDeadlineMs = 3_000;
const outputLengthMax = 4_096;

export type AnvilOptions = {
  readonly chainId: number;
  /** A block every so many seconds; without it, every transaction is mined at once in a block of its own. */
  readonly blockTimeSeconds?: number;
  /** Old states cost memory without end; only `anvil_reorg` and calls at a past block need them. */
  readonly history: 'pruned' | 'kept';
};

export type Anvil = {
  readonly rpcUrl: string;
  /** Ends the chain and forgets all of its state. May be called again. */
  stop(): Promise<void>;
};

/**
 * Starts a chain of our own on a free port of the loopback interface. It ends with `stop`, and also when this process
 * ends without calling it, by SIGKILL too. Throws when the chain does not answer within ten seconds.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const supervisor = spawnSupervisor([anvilBinary(), ...anvilArguments(options)]);
  const stop = stopper(supervisor);
  try {
    const rpcUrl = `http://127.0.0.1:${await listeningPort(supervisor)}`;
    await becomeReady(rpcUrl, options.chainId);
    return { rpcUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * States that a pruned chain keeps. With none, a call that is answered while a block is mined is refused, for its block is
 * not the newest any more.
 */
const prunedStatesMax = 64;

function anvilArguments({ chainId, blockTimeSeconds, history }: AnvilOptions): string[] {
  return [
    ...['--host', '127.0.0.1', '--chain-id', String(chainId)],
    // Anvil binds whatever port is free and says which. To look for a free one first would leave a moment in which
    // another process takes it, and we might then talk to that process's chain.
    ...['--port', '0'],
    // None of its published accounts: anybody knows their keys.
    ...['--accounts', '0'],
    // A page in a browser has no business with a chain that anybody may rewrite.
    '--no-cors',
    ...(blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]),
    ...(history === 'pruned' ? ['--prune-history', String(prunedStatesMax)] : []),
  ];
}

/**
 * The supervisor gets a process group of its own: a Ctrl-C at the terminal goes to the whole group, and the chain must
 * outlive the gateway's draining. It inherits no environment, where secrets may be.
 */
function spawnSupervisor(command: readonly string[]): ChildProcess {
  const script = join(import.meta.dirname, `keep-anvil${extname(import.meta.filename)}`);
  return spawn(process.execPath, [script, ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
    env: {},
  });
}

/** Resolves with the port that anvil says it listens on. */
function listeningPort(supervisor: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`The embedded chain did not start: ${why}`));
    };
    const timer = setTimeout(() => fail(`silent for ${readyDeadlineMs} ms`), readyDeadlineMs);
    const read = (text: string) => {
      output = (output + text).slice(-outputLengthMax);
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/m.exec(output)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(port);
    };
    supervisor.stdout?.setEncoding('utf8').on('data', read);
    supervisor.stderr?.setEncoding('utf8').on('data', read);
    supervisor.on('error', ({ message }) => fail(message));
    supervisor.on('close', () => fail(output.trim().split('\n').at(-1) || 'it ended at once'));
  });
}

async function becomeReady(rpcUrl: string, chainId: number): Promise<void> {
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 1_000, answerBytesMax: 65_536 });
  try {
    const deadline = performance.now() + readyDeadlineMs;
    for (;;) {
      const answer = await rpc.call<string>('eth_chainId', []);
      if (answer.ok && Number(answer.value) === chainId) break;
      if (performance.now() > deadline) throw new Error('The embedded chain did not answer in time');
      await wait(pollIntervalMs);
    }
    // It had to speak to name its port; from here on a line for every call would only cost time.
    await rpc.call('anvil_setLoggingEnabled', [false]);
  } finally {
    await rpc.close();
  }
}

/** To stop is to close the pipe, the very thing that happens when this process dies: one way, always in use. */
function stopper(supervisor: ChildProcess): () => Promise<void> {
  const ended = once(supervisor, 'close').catch(() => undefined);
  // Were the supervisor itself killed, anvil would still be in its group.
  supervisor.on('exit', (_code, signal) => {
    if (signal !== null) killGroup(supervisor);
  });
  return async () => {
    supervisor.stdin?.destroy();
    const timer = setTimeout(() => killGroup(supervisor), stopDeadlineMs);
    await ended;
    clearTimeout(timer);
  };
}

function killGroup(supervisor: ChildProcess): void {
  if (supervisor.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? supervisor.pid : -supervisor.pid, 'SIGKILL');
  } catch {
    // Nobody is left in the group, which is what was wanted.
  }
}
