import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** A server under test, in its own process. */
export type Target = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Time from the start of the process until it printed its URL. */
  readonly readyMs: number;
  /** The last lines of its log. */
  readLog(): string;
  /** How late the event loop was since the last call. Only for a program that is probed. */
  readDelay(): Promise<Delay>;
  stop(): Promise<void>;
};

/** Delays of an event loop. */
export type Delay = { readonly p50Ms: number; readonly p99Ms: number };

const stopMsMax = 5_000;

const probe = new URL('../targets/probe.ts', import.meta.url).href;

export type Program = {
  readonly name: string;
  /** The file that Node runs. */
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether to load the probe of the event loop, which costs about a hundredth of a core. */
  readonly isProbed?: boolean;
  /** How long the start may take; by default a minute. */
  readonly readyMsMax?: number;
};

/** Starts a program that prints one line of JSON with its `url`. Throws when it ends or is not ready in time. */
export async function startTarget(started: Program): Promise<Target> {
  const { name, program, parameters, environment = {}, isProbed = false, readyMsMax = 60_000 } = started;
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...(isProbed ? ['--import', probe] : []), program, ...parameters], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: isProbed ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const atExit = () => child.kill('SIGKILL');
  process.once('exit', atExit);
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000);
  });
  const gone = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', atExit);
      resolve();
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const end = output.indexOf('\n');
    if (end !== -1) resolve(JSON.parse(output.slice(0, end)) as Record<string, unknown>);
  });
  void gone.then(() => reject(new Error(`${name} ended before it was ready:\n${log}`)));
  const timer = setTimeout(() => reject(new Error(`${name} was not ready in time:\n${log}`)), readyMsMax);
  try {
    const ready = await promise;
    const readyMs = performance.now() - startedAt;
    return {
      name,
      url: String(ready['url']),
      pid: child.pid ?? Number.NaN,
      readyMs,
      readLog: () => log,
      async readDelay() {
        child.send('read');
        const [delay] = await once(child, 'message');
        return delay as Delay;
      },
      async stop() {
        // A program that ends by itself writes Node's compile cache, which the next start uses as with `npm start`.
        child.kill('SIGTERM');
        const killer = setTimeout(() => child.kill('SIGKILL'), stopMsMax);
        await gone;
        clearTimeout(killer);
      },
    };
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}
