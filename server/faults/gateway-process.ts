import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endpoints } from '@paid-inference/contract/constants';
import { nestSettings } from '../config/advanced.ts';
import type { Steering } from './steered-gateway.ts';

export type GatewayOptions = {
  /** Settings in the file, over those of the scenario, without the level `advanced`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Over the environment of the scenario. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A program and its first parameters that runs the gateway, such as one that makes a container. */
  readonly within?: readonly string[];
  /** What only a gateway from within can be made to do; without it the real program runs. */
  readonly steering?: Steering;
};

/** A gateway in a process of its own. */
export type GatewayProcess = {
  readonly url: string;
  /** Of the process, or of the program that it runs within. */
  readonly pid: number;
  /** Where chat completions are sold. */
  readonly chat: string;
  isRunning(): boolean;
  /** Ends it without warning unless told otherwise; resolves when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end it. */
  signal(signal: NodeJS.Signals): void;
  readonly gone: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** What it wrote on standard error. */
  log(): string;
  /** The most memory that it ever had, as the kernel counts; 0 when it is gone, and where there is no /proc. */
  memoryPeakMiB(): number;
};

const logLengthMax = 200_000;
const readyDeadlineMs = 30_000;
/** Where nobody listens: a gateway that died before it could say where it is. */
const nowhere = 'http://127.0.0.1:1';

/** As an operator runs it. */
export const gatewayProgram = fileURLToPath(new URL('../main.ts', import.meta.url));
const tether = new URL('./tether.ts', import.meta.url).href;
const steeredProgram = fileURLToPath(new URL('./steered-gateway.ts', import.meta.url));

let started = 0;

/**
 * Starts the gateway as an operator does, with a file of settings and an environment, and resolves when it says that it is
 * ready. One that is steered to its death may be gone by then. Throws when it does not start.
 */
export async function startGatewayProcess(
  folder: string,
  environment: Readonly<Record<string, string>>,
  { settings = {}, environment: own = {}, within = [], steering }: GatewayOptions,
): Promise<GatewayProcess> {
  const file = join(folder, `gateway-${++started}.yaml`);
  writeFileSync(file, JSON.stringify(nestSettings(settings)));
  const parts =
    steering === undefined
      ? [gatewayProgram, '--json', '--config', file]
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
  // Before its folder is removed.
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
    else ready.reject(new Error(`a gateway did not start (${code ?? signal}):\n${log}`));
  });
  const timer = setTimeout(() => ready.reject(new Error(`a gateway is not ready:\n${log}`)), readyDeadlineMs);
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
