import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Wallet } from 'ethers';
import { startTestGateway, type TestGateway } from './gateway.ts';
import { programEnvironment } from './program-environment.ts';

type Run = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** A gateway, an empty folder with a payer's key, and the CLI as a process in that folder. */
export type CliFixture = {
  readonly gateway: TestGateway;
  readonly wallet: { readonly address: string; readonly privateKey: string };
  readonly keyFile: string;
  file(name: string, content: string, mode?: number): string;
  /** Gets the gateway's URL and the key file as variables, unless other variables are given. */
  run(given: readonly string[], environment?: Record<string, string>): Promise<Run>;
  /** The same, but the program may write no byte to a file, as on a full disk. */
  runWithoutDisk(given: readonly string[]): Promise<Run>;
  /** The same, but standard output is a full disk. */
  runWithFullOutput(given: readonly string[]): Promise<Run>;
  /** The same, but the reader closes both outputs. Returns the exit code. */
  runUnread(given: readonly string[]): Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
};

const cli = join(import.meta.dirname, '..', 'cli.ts');

export async function openCliFixture(): Promise<CliFixture> {
  const gateway = await startTestGateway(() => Math.floor(Date.now() / 1000));
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-'));
  const wallet = Wallet.createRandom();
  const file = (name: string, content: string, mode = 0o600) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    // Not subject to the umask.
    chmodSync(path, mode);
    return path;
  };
  const keyFile = file('payer.key', wallet.privateKey);
  const usual = { PAID_INFERENCE_URL: gateway.url, PAID_INFERENCE_KEY_FILE: keyFile };
  function start(
    given: readonly string[],
    environment: Record<string, string>,
    before: readonly string[] = [],
  ) {
    const [command = '', ...words] = [...before, process.execPath, cli, ...given];
    const child = spawn(command, words, {
      cwd: folder,
      env: { ...programEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, ended };
  }
  async function collect({ child, ended }: ReturnType<typeof start>) {
    const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { stdout, stderr, exitCode };
  }
  return {
    gateway,
    wallet,
    keyFile,
    file,
    run: (given, environment = usual) => collect(start(given, environment)),
    runWithoutDisk: (given) =>
      collect(start(given, usual, ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'])),
    runWithFullOutput: (given) => collect(start(given, usual, ['sh', '-c', 'exec "$@" >/dev/full', 'sh'])),
    runUnread(given) {
      const { child, ended } = start(given, usual);
      child.stdout.destroy();
      child.stderr.destroy();
      return ended;
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      rmSync(folder, { recursive: true });
    },
  };
}
