import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '@paid-inference/contract/constants';
import { nestSettings } from '../config/advanced.ts';
import type { Steering } from './steered-gateway.ts';

export type GatewayOptions = {
  /** Settings of the file, without the level `advanced`. They override those of the scenario. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Variables that override those of the scenario. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A program and its first parameters that starts the gateway, such as a container. */
  readonly within?: readonly string[];
  /** Faults from inside the gateway. Without them the real program runs. */
  readonly steering?: Steering;
  /** The program of another version. */
  readonly program?: string;
};

/** A gateway in its own process. */
export type GatewayProcess = {
  readonly url: string;
  /** The process id of the gateway, or of the program that starts it. */
  readonly pid: number;
  /** The URL of chat completions. */
  readonly chat: string;
  isRunning(): boolean;
  /** Sends SIGKILL, or another signal that ends the process, and resolves after the exit. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end the process. */
  signal(signal: NodeJS.Signals): void;
  readonly gone: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The standard error of the process. */
  log(): string;
  /** The peak memory by the kernel; 0 after the exit, and without /proc. */
  memoryPeakMiB(): number;
};

const logLengthMax = 200_000;
const readyDeadlineMs = 30_000;
/** No server listens here. For a gateway that ended before it printed its URL. */
const nowhere = 'http://127.0.0.1:1';

/** The program that an operator runs. */
const gatewayProgram = fileURLToPath(new URL('../main.ts', import.meta.url));
const tether = new URL('./tether.ts', import.meta.url).href;
const steeredProgram = fileURLToPath(new URL('./steered-gateway.ts', import.meta.url));

let started = 0;

/**
 * Starts the gateway with a settings file and an environment, and resolves after its ready event. A gateway
 * that is steered to end during the start may have ended already. Throws when the start fails.
 */
export async function startGatewayProcess(
  folder: string,
  environment: Readonly<Record<string, string>>,
  {
    settings = {},
    environment: own = {},
    within = [],
    steering,
    program: main = gatewayProgram,
  }: GatewayOptions,
): Promise<GatewayProcess> {
  const file = join(folder, `gateway-${++started}.yaml`);
  writeFileSync(file, JSON.stringify(nestSettings(settings)));
  const parts =
    steering === undefined
      ? [main, '--json', '--config', file]
      : [steeredProgram, file, JSON.stringify(steering)];
  const [program = '', ...rest] = [...within, process.execPath, '--import', tether, ...parts];
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', ...environment, ...own },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-logLengthMax);
  });
  const gone = new Promise<Awaited<GatewayProcess['gone']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const atExit = () => child.kill('SIGKILL');
  // This handler must run before the one that removes the folder.
  process.prependOnceListener('exit', atExit);
  void gone.then(() => process.off('exit', atExit));

  const ready = Promise.withResolvers<string>();
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const end = output.indexOf('\n');
    if (end >= 0) ready.resolve((JSON.parse(output.slice(0, end)) as { url: string }).url);
  });
  void gone.then(({ code, signal }) => {
    if (steering?.dies !== undefined && signal === 'SIGKILL') ready.resolve(nowhere);
    else ready.reject(new Error(`A gateway did not start (${code ?? signal}):\n${log}`));
  });
  const timer = setTimeout(
    () => ready.reject(new Error(`A gateway was not ready in time:\n${log}`)),
    readyDeadlineMs,
  );
  let url: string;
  try {
    url = await ready.promise;
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  } finally {
    clearTimeout(timer);
  }
  return {
    url,
    pid: child.pid ?? Number.NaN,
    chat: `${url}${endpoints.createChatCompletion.path}`,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await gone;
    },
    signal: (signal) => void child.kill(signal),
    gone,
    log: () => log,
    memoryPeakMiB: () => memoryPeakMiB(child.pid),
  };
}

function memoryPeakMiB(pid: number | undefined): number {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return 0;
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1];
  return Math.round(Number(kib ?? 0) / 1_024);
}
