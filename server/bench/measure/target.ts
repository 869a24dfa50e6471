import { spawn } from 'node:child_process';

/** A server under test, in its own process. */
export type Target = {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
};

const readyDeadlineMs = 60_000;

export type Program = {
  readonly name: string;
  /** The file that Node runs. */
  readonly program: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
};

/** Starts a program that prints one line of JSON with its `url`. Throws when it ends or is not ready in time. */
export async function startTarget({ name, program, parameters, environment = {} }: Program): Promise<Target> {
  const child = spawn(process.execPath, [program, ...parameters], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
  const timer = setTimeout(
    () => reject(new Error(`${name} was not ready in time:\n${log}`)),
    readyDeadlineMs,
  );
  try {
    const ready = await promise;
    return {
      name,
      url: String(ready['url']),
      pid: child.pid ?? Number.NaN,
      async stop() {
        child.kill('SIGKILL');
        await gone;
      },
    };
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}
