import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from './run-cli.ts';

const server = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

/** The reference gateway with a devnet of its own. */
export type GatewayProcess = {
  readonly process: ChildProcess;
  readonly folder: string;
  readonly ready: {
    readonly url: string;
    readonly chain: { readonly rpcUrl: string };
    readonly proofLedger: { readonly rpcUrl: string };
    readonly token: { readonly address: string };
    readonly payTo: string;
    readonly payer: { readonly address: string; readonly keyFile: string };
  };
};

/** Starts a gateway in its own folder; the settings are YAML. */
export async function startGateway(settings = ''): Promise<GatewayProcess> {
  const folder = mkdtempSync(`${tmpdir()}/conformance-gateway-`);
  if (settings !== '') writeFileSync(`${folder}/gateway.yaml`, settings);
  const child = spawn(process.execPath, [server, '--json'], {
    cwd: folder,
    env: { ...plainEnvironment, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the gateway ended with ${code} before it was ready`);
    }),
  ]);
  return { process: child, folder, ready: JSON.parse(String(line)) };
}

export async function stopGateway({ process: child, folder }: GatewayProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}
