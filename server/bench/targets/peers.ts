import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chainId, endpoints } from '@paid-inference/contract/constants';
import type { Devnet } from '../../devnet/devnet.ts';
import { startTarget, type Target } from '../measure/target.ts';
import { freshRelayer } from './gateway.ts';
import { isInstalled, type PackageLock } from './package-lock.ts';

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
const bare = fileURLToPath(new URL('./bare.ts', import.meta.url));

/** The price of a request to the official middleware, and to the gateway of the benchmark. */
export const price = '1000';

/** Installs the pinned peers in their own folder, unless they are there. Throws when the installation fails. */
export function installPeers(say: (line: string) => void): void {
  const [wanted, installed] = [`${folder}package-lock.json`, `${folder}node_modules/.package-lock.json`];
  if (existsSync(installed) && isInstalled(readLock(wanted), readLock(installed))) return;
  say('Installing the peers in server/bench/peers …');
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function readLock(path: string): PackageLock {
  return JSON.parse(readFileSync(path, 'utf8')) as PackageLock;
}

export type Fixed = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};

/** Starts a server that reads and parses each body and sends these bytes. */
export function startBare(framework: 'koa' | 'node', fixed: Fixed): Promise<Target> {
  const name = framework === 'koa' ? 'bare Koa' : 'bare node:http';
  return startTarget(name, bare, [framework, JSON.stringify(fixed)]);
}

/** Starts the official x402 middleware with its facilitator in the same process. */
export async function startOfficial(
  framework: 'express' | 'hono',
  { devnet, completion }: { readonly devnet: Devnet; readonly completion: object },
): Promise<Target> {
  const relayer = await freshRelayer(devnet);
  const options = {
    rpcUrl: devnet.rpcUrl,
    chainId,
    payTo: devnet.payTo,
    asset: devnet.token.address,
    tokenName: devnet.token.name,
    tokenVersion: devnet.token.version,
    price,
    path: endpoints.createChatCompletion.path,
    completion: JSON.stringify(completion),
  };
  return startTarget(`@x402/${framework}`, `${folder}official.mjs`, [framework, JSON.stringify(options)], {
    RELAYER_KEY: relayer.privateKey,
  });
}
