import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { getCompileCacheDir } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createHttpRpc } from '../chain/http-rpc.ts';
import { anvilBinary } from './anvil-binary.ts';

/** Anvil responds within 100 ms. The deadline allows for a very busy machine. */
const readyDeadlineMs = 10_000;
const pollIntervalMs = 10;
/** Longer than the supervisor's own deadline, so that the supervisor ends anvil. */
const stopDeadlineMs = 3_000;
const outputLengthMax = 4_096;

export type AnvilOptions = {
  readonly chainId: number;
  /** Seconds between blocks. Without it, every transaction is mined at once in its own block. */
  readonly blockTimeSeconds?: number;
  /** Old states use memory without limit. Only `anvil_reorg` and calls at a past block need them. */
  readonly history: 'pruned' | 'kept';
  /**
   * RPC of another chain, whose state the new chain continues. Such a chain calculates no state root, so that its
   * blocks take the same time with a thousand and with a million payments.
   */
  readonly forkUrl?: string;
  /**
   * Old states that a pruned chain keeps. Each is a copy of all storage, which anvil makes with each block. With
   * `blockTimeSeconds` below 3, anvil keeps 1,500 states and ignores this number.
   */
  readonly statesKeptMax?: number;
};

export type Anvil = {
  readonly rpcUrl: string;
  /** Ends the chain and deletes its state. May be called again. */
  stop(): Promise<void>;
};

/**
 * Starts a chain on a free port of the loopback interface. The chain ends with `stop`, and when this process
 * ends in any way, also by SIGKILL. Throws when the chain does not respond within ten seconds.
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
 * States that a pruned chain keeps. Without them, anvil would reject a call while it mines a block, because the
 * call's block is no longer the newest.
 */
const statesKeptUsual = 64;

function anvilArguments(options: AnvilOptions): string[] {
  const { chainId, blockTimeSeconds, history, forkUrl, statesKeptMax = statesKeptUsual } = options;
  return [
    ...['--host', '127.0.0.1', '--chain-id', String(chainId)],
    // Anvil binds a free port and prints it. A search for a free port would let another process take the port
    // first, and the gateway might then use that process's chain.
    ...['--port', '0'],
    // Anvil's own accounts are left out, because their keys are published.
    ...['--accounts', '0'],
    // Web pages must not reach a chain that every caller may rewrite.
    '--no-cors',
    ...(blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]),
    ...(forkUrl === undefined ? [] : ['--fork-url', forkUrl, '--no-storage-caching']),
    ...(history === 'pruned' ? ['--prune-history', String(statesKeptMax)] : []),
  ];
}

/**
 * For anvil's allocator, jemalloc: it keeps memory that anvil frees. Otherwise each copy of the storage would fetch new
 * pages from the system, which takes most of the time of an empty block of a large chain (D-385).
 */
const allocatorVariables = { _RJEM_MALLOC_CONF: 'dirty_decay_ms:-1,muzzy_decay_ms:-1' };

/**
 * The supervisor gets its own process group: Ctrl-C goes to the whole group of the gateway, and the chain must
 * live while the gateway drains. It inherits no environment, because the environment may hold secrets. It gets only the
 * variables of the allocator, and Node's compile cache, if there is one.
 */
function spawnSupervisor(command: readonly string[]): ChildProcess {
  // The cache of this version of Node is a folder within the folder of the variable.
  const compileCache = getCompileCacheDir();
  const script = join(import.meta.dirname, `keep-anvil${extname(import.meta.filename)}`);
  return spawn(process.execPath, [script, ...command], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
    env: {
      ...allocatorVariables,
      ...(compileCache !== undefined && { NODE_COMPILE_CACHE: dirname(compileCache) }),
    },
  });
}

/** Resolves with the port that anvil prints. */
function listeningPort(supervisor: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new Error(`The embedded chain did not start: ${why}`));
    };
    const timer = setTimeout(() => fail(`no port within ${readyDeadlineMs} ms`), readyDeadlineMs);
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
  const rpc = createHttpRpc({ url: rpcUrl, timeoutMs: 1_000, responseBytesMax: 65_536 });
  try {
    const deadline = performance.now() + readyDeadlineMs;
    for (;;) {
      const response = await rpc.call<string>('eth_chainId', []);
      if (response.ok && Number(response.value) === chainId) break;
      if (performance.now() > deadline)
        throw new Error(`The embedded chain did not respond within ${readyDeadlineMs} ms`);
      await wait(pollIntervalMs);
    }
    // Anvil logs by default, which is needed for its port. From here on, logs would only cost time.
    await rpc.call('anvil_setLoggingEnabled', [false]);
  } finally {
    await rpc.close();
  }
}

/** Stops the chain by closing the pipe, as the operating system does when this process dies. */
function stopper(supervisor: ChildProcess): () => Promise<void> {
  const ended = once(supervisor, 'close').catch(() => undefined);
  // If the supervisor itself is killed, anvil is still in its group.
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
    // The group has no process left.
  }
}
