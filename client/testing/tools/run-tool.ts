import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ReadyEvent } from '../../demo/gateway-process.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import type { SettledPayments } from '../settled.ts';
import type { ToolRun } from './runs.ts';

const cli = join(import.meta.dirname, '..', '..', 'cli.ts');
const runMsMax = 180_000;

/** The settled payments of a run, and one sentence for each fault. */
export type ToolResult = {
  readonly payments: readonly bigint[];
  readonly faults: readonly string[];
};

/** Runs a tool with `paid-inference proxy -- <tool>`, in a folder of its own. */
export async function runTool(
  run: ToolRun,
  programs: string,
  ready: ReadyEvent,
  settled: SettledPayments,
): Promise<ToolResult> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-tool-'));
  const between = await startFaultProxy(ready.url, run.strike);
  try {
    for (const [name, content] of Object.entries(run.files)) writeFileSync(join(folder, name), content);
    mkdirSync(join(folder, 'home'));
    const { code, output } = await startTool(run, folder, {
      programs,
      upstream: between.url,
      keyFile: ready.payer.keyFile,
      resourceHost: new URL(ready.url).host,
    });
    const payments: bigint[] = [];
    for (const [nonce, value] of between.authorizations)
      if (await settled.isSettled(ready.payer.address, nonce)) payments.push(value);
    return { payments, faults: listFaults(run, { code, output, folder, paid: payments.length }) };
  } finally {
    await between.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Surroundings = {
  readonly programs: string;
  readonly upstream: string;
  readonly keyFile: string;
  readonly resourceHost: string;
};

async function startTool(
  { script }: ToolRun,
  folder: string,
  { programs, upstream, keyFile, resourceHost }: Surroundings,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const options = ['--upstream', upstream, '--key-file', keyFile, '--resource-host', resourceHost];
  const files = ['--journal', join(folder, 'home', 'journal'), '--port', '0', '--max-tokens', '1000'];
  const child = spawn(process.execPath, [cli, 'proxy', ...options, ...files, '--', 'sh', '-c', script], {
    cwd: folder,
    env: {
      PATH: [programs, process.env['PATH']].join(delimiter),
      HOME: join(folder, 'home'),
      NO_COLOR: '1',
      // LiteLLM, in aider, downloads a list of prices at its import otherwise.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runMsMax,
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: `${stdout}\n${stderr}` };
}

type Ended = {
  readonly code: number | null;
  readonly output: string;
  readonly folder: string;
  readonly paid: number;
};

function listFaults({ prints, wrote, payments }: ToolRun, { code, output, folder, paid }: Ended): string[] {
  const faults: string[] = [];
  if (code !== 0) faults.push(`ended with exit code ${code}`);
  let from = 0;
  for (const printed of prints) {
    const at = output.indexOf(printed, from);
    if (at < 0) faults.push(`did not print ${printed}`);
    else from = at + printed.length;
  }
  if (wrote !== undefined && !readFileSync(join(folder, wrote.file), 'utf8').includes(wrote.text))
    faults.push(`did not write ${wrote.file}`);
  if (paid !== payments) faults.push(`made ${paid} payments, not ${payments}`);
  return faults.length === 0 ? [] : [...faults, `Output: ${output.slice(-3_000)}`];
}
