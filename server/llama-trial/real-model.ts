import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createLlamaEngine } from '../inference/llama/llama-engine.ts';
import { createOpenAiEngine } from '../inference/openai/openai-engine.ts';
import { options } from '../testing/inference/exchange.ts';
import { openTrialRuntime } from './tiny-engine.ts';

/** The programs and files that `main.ts` installs. */
export type RealModel = { readonly server: string; readonly file: string };

function readRealModel(): RealModel {
  const found = process.env['REAL_MODEL'];
  if (found === undefined) throw new Error('Run these tests by npm run test:llama');
  return JSON.parse(found) as RealModel;
}

/** One thread: the tests share the machine, and threads of llama.cpp that wait for each other take all of it. */
const threads = 1;
const contextTokens = 2_048;
const sequences = 2;

export function openRealEngine() {
  const { file } = readRealModel();
  const log = { info: () => {}, warn: () => {} };
  return createLlamaEngine(
    { file, contextTokens, sequences, threads, usesGpu: false },
    openTrialRuntime,
    log,
  );
}

/** Starts llama.cpp's server on a free port of this machine. */
export async function startLlamaServer() {
  const { server, file } = readRealModel();
  const port = await findPort();
  // pip does not keep the mode of a program.
  chmodSync(server, 0o755);
  const words = [
    '--model',
    file,
    '--host',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--device',
    'none',
    '--no-webui',
  ];
  // The template of the file has no tools.
  const template = join(import.meta.dirname, 'tools.jinja');
  const bounds = ['--ctx-size', `${contextTokens * sequences}`, '--parallel', `${sequences}`];
  const child = spawn(
    server,
    [...words, ...bounds, '--threads', `${threads}`, '--slots', '--chat-template-file', template],
    {
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilHealthy(url, child);
  } catch (cause) {
    child.kill('SIGKILL');
    throw cause;
  }
  return {
    baseUrl: `${url}/v1`,
    engine: createOpenAiEngine({ ...options(`${url}/v1`, { headersTimeoutMs: 60_000 }), model: 'smollm2' }),
    async countBusySlots(): Promise<number> {
      const slots = (await (await fetch(`${url}/slots`)).json()) as readonly { is_processing: boolean }[];
      return slots.filter(({ is_processing: isBusy }) => isBusy).length;
    },
    async stop(): Promise<void> {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

const startTimeoutMs = 60_000;

async function untilHealthy(url: string, child: { exitCode: number | null }): Promise<void> {
  const end = performance.now() + startTimeoutMs;
  while (performance.now() < end) {
    if (child.exitCode !== null) throw new Error(`llama-server ended with exit code ${child.exitCode}`);
    const response = await fetch(`${url}/health`).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`llama-server was not healthy within ${startTimeoutMs} ms`);
}
