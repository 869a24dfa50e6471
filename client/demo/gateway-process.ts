import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the gateway says about itself in one line, once it listens. */
export type ReadyEvent = {
  readonly event: 'ready';
  readonly url: string;
  readonly chain: { readonly id: number; readonly rpcUrl: string };
  /** Where proofs are recorded. */
  readonly proofLedger: { readonly chainId: number; readonly contract: string; readonly rpcUrl: string };
  readonly token: { readonly address: string; readonly name: string };
  readonly payTo: string;
  readonly payer: { readonly address: string; readonly keyFile: string };
};

export type GatewayProcess = {
  readonly ready: ReadyEvent;
  /** Asks it to end, waits, and ends it itself after a deadline. May be called again. */
  stop(): Promise<void>;
};

/** A cold start with a chain takes about two seconds; this is for a machine that is very busy. */
const readyDeadlineMs = 60_000;
const stopDeadlineMs = 15_000;
const faultLinesMax = 20;

/** A batch of proofs waits for ten seconds, which is long for whoever watches (D-28). */
const settings = 'advanced: { proofBatchAgeSeconds: 1, proofAskMs: 100 }\n';

const program = join(import.meta.dirname, '..', '..', 'server', 'main.ts');

/**
 * Starts the gateway as anybody would, on a free port and with a devnet of its own, in a folder that is removed with
 * it: a gateway that runs beside it keeps its port, its chain and its ledger. Rejects with what it said when it did not
 * become ready, or when the signal aborts.
 */
export async function startGatewayProcess(signal: AbortSignal): Promise<GatewayProcess> {
  signal.throwIfAborted();
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-demo-'));
  // It is looked for where the gateway is started.
  writeFileSync(join(folder, 'gateway.yaml'), settings);
  const child = spawn(process.execPath, [program, '--json'], {
    cwd: folder,
    // Nothing else of the environment: it may configure another gateway, or hold secrets of one.
    env: { PATH: process.env['PATH'], PORT: '0', DEVNET_FOLDER: join(folder, 'devnet') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that Ctrl-C reaches it once, through us, and it can drain.
    detached: true,
  });
  // The last resort, for an exit that ran no cleanup.
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
  if (stdout === null || stderr === null) throw new Error('the gateway has no output');
  const said: string[] = [];
  createInterface(stderr).on('line', (line) => {
    said.push(line);
    if (said.length > faultLinesMax) said.shift();
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error([`the gateway ${why}`, ...said].join('\n  ')));
    const patience = AbortSignal.timeout(readyDeadlineMs);
    patience.addEventListener('abort', () => fail(`was not ready within ${readyDeadlineMs} ms`));
    signal.addEventListener('abort', () => fail('was not waited for'));
    child.once('close', (code) => fail(`ended with exit code ${code} before it was ready`));
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    createInterface(stdout).once('line', (line) => {
      const event = parseReady(line);
      if (event === null) fail(`said something else than that it is ready: ${line}`);
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
