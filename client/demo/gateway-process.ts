import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The line that the gateway prints once it listens. */
export type ReadyEvent = {
  readonly event: 'ready';
  readonly url: string;
  readonly chain: { readonly id: number; readonly rpcUrl: string };
  /** The contract where proofs are recorded. */
  readonly proofLedger: { readonly chainId: number; readonly contract: string; readonly rpcUrl: string };
  readonly token: { readonly address: string; readonly name: string };
  readonly payTo: string;
  readonly payer: { readonly address: string; readonly keyFile: string };
};

export type GatewayProcess = {
  readonly ready: ReadyEvent;
  /** Sends SIGTERM, waits for the exit, and kills the process after a deadline. Safe to call again. */
  stop(): Promise<void>;
};

/** A cold start with a chain takes about two seconds. The deadline allows for a very busy machine. */
const readyDeadlineMs = 60_000;
const stopDeadlineMs = 15_000;
const faultLinesMax = 20;

/** Without these settings a batch of proofs waits for ten seconds, too long for a demo (D-28). */
const demoSettings = { proofBatchAgeSeconds: 1, proofPollMs: 100 };

const program = join(import.meta.dirname, '..', '..', 'server', 'main.ts');

/**
 * Starts a gateway on a free port, with its own devnet, in a temporary folder. A second gateway keeps its port,
 * chain and proof ledger. The settings are advanced ones. Rejects with the gateway's standard error when the
 * gateway ends, is late, or the signal aborts.
 */
export async function startGatewayProcess(
  signal: AbortSignal,
  settings: Readonly<Record<string, number>> = {},
): Promise<GatewayProcess> {
  signal.throwIfAborted();
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-demo-'));
  // The gateway reads its settings file from its working directory.
  const advanced = { ...demoSettings, ...settings };
  writeFileSync(join(folder, 'gateway.yaml'), JSON.stringify({ advanced }));
  const child = spawn(process.execPath, [program, '--json'], {
    cwd: folder,
    // The gateway gets no other variables: they may configure another gateway or hold its secrets.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: '0',
      DEVNET_FOLDER: join(folder, 'devnet'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, the gateway gets Ctrl-C only from this process, and can finish its requests.
    detached: true,
  });
  // Kills the gateway when this process exits without a cleanup.
  const killNow = () => void child.kill('SIGKILL');
  process.once('exit', killNow);
  const gone = new Promise<void>((resolve) =>
    child.once('close', () => resolve()).once('error', () => resolve()),
  );

  async function stop(): Promise<void> {
    child.kill('SIGTERM');
    const late = setTimeout(killNow, stopDeadlineMs);
    await gone;
    clearTimeout(late);
    process.off('exit', killNow);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    return { ready: await readReady(child, signal), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function readReady(child: ChildProcess, signal: AbortSignal): Promise<ReadyEvent> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The gateway process has no output');
  const said: string[] = [];
  createInterface(stderr).on('line', (line) => {
    said.push(line);
    if (said.length > faultLinesMax) said.shift();
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error([`The gateway ${why}`, ...said].join('\n  ')));
    const patience = AbortSignal.timeout(readyDeadlineMs);
    patience.addEventListener('abort', () => fail(`was not ready within ${readyDeadlineMs} ms`));
    signal.addEventListener('abort', () => fail('start was interrupted'));
    child.once('close', (code) => fail(`ended with exit code ${code} before it was ready`));
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    createInterface(stdout).once('line', (line) => {
      const event = parseReady(line);
      if (event === null) fail(`printed something else than its ready event: ${line}`);
      else resolve(event);
    });
  });
}

function parseReady(line: string): ReadyEvent | null {
  try {
    const event: Partial<ReadyEvent> = JSON.parse(line);
    const { url, chain, proofLedger, token, payTo, payer } = event;
    const chains = chain?.rpcUrl && proofLedger?.rpcUrl && proofLedger.contract;
    const whole = event.event === 'ready' && url && chains && token?.address && payTo && payer?.keyFile;
    return whole ? { event: 'ready', url, chain, proofLedger, token, payTo, payer } : null;
  } catch {
    return null;
  }
}
