import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import {
  ContractFactory,
  type InterfaceAbi,
  JsonRpcProvider,
  NonceManager,
  type TransactionResponse,
  Wallet,
} from 'ethers';

/** A chain for one test. */
export type TestChain = {
  readonly url: string;
  readonly provider: JsonRpcProvider;
  /** A fresh account with ether for gas. */
  account(): Promise<NonceManager>;
  /** Deploys one of the gateway's compiled contracts and returns its address. */
  deploy(contract: 'PaymentToken' | 'InferenceLedger', ...given: readonly unknown[]): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
};

const artifacts = join(import.meta.dirname, '..', '..', 'server', 'contracts', 'artifacts');
const readyDeadlineMs = 10_000;
const receiptDeadlineMs = 10_000;

export async function startTestChain(chainId: number): Promise<TestChain> {
  const given = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--accounts', '0'];
  const child = spawn(binary(), given, { stdio: ['ignore', 'pipe', 'ignore'], env: {} });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    AbortSignal.timeout(readyDeadlineMs).addEventListener('abort', () =>
      reject(new Error('anvil was not ready in time')),
    );
    child.once('error', reject);
    createInterface(child.stdout).on('line', (line) => {
      const port = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
    });
  });
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, cacheTimeout: -1 });

  async function account(): Promise<NonceManager> {
    const wallet = Wallet.createRandom(provider);
    await provider.send('anvil_setBalance', [wallet.address, '0x8ac7230489e80000']);
    return new NonceManager(wallet);
  }

  return {
    url,
    provider,
    account,
    async deploy(name, ...values) {
      const artifact: { abi: InterfaceAbi; bytecode: string } = JSON.parse(
        readFileSync(join(artifacts, `${name}.json`), 'utf8'),
      );
      const factory = new ContractFactory(artifact.abi, artifact.bytecode, await account());
      const deployed = await factory.deploy(...values);
      await mined(deployed.deploymentTransaction());
      return deployed.getAddress();
    },
    async [Symbol.asyncDispose]() {
      provider.destroy();
      process.off('exit', kill);
      kill();
      await ended;
    },
  };
}

/** Finds the binary of this platform in anvil's package. Its start script would be one more process to stop. */
function binary(): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const build = `@foundry-rs/anvil-${process.platform}-${architecture}`;
  return createRequire(import.meta.url).resolve(`${build}/bin/anvil`);
}

/**
 * Polls until a transaction is in a block. Throws when it reverted, or is in no block after ten seconds.
 * `wait()` of ethers is not used: it waits without end when the block comes between two of its reads.
 */
export async function mined(sent: TransactionResponse | null): Promise<void> {
  if (sent === null) throw new Error('There is no transaction');
  const deadline = performance.now() + receiptDeadlineMs;
  for (;;) {
    const receipt = await sent.provider.getTransactionReceipt(sent.hash);
    if (receipt?.status === 1) return;
    if (receipt !== null) throw new Error(`The transaction ${sent.hash} reverted`);
    if (performance.now() > deadline) throw new Error(`The transaction ${sent.hash} is in no block`);
    await wait(5);
  }
}
