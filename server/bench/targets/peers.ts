import { fileURLToPath } from 'node:url';
import { chainId } from '@paid-inference/contract/constants';
import type { Devnet } from '../../devnet/devnet.ts';
import { installPinned } from '../../testing/install-pinned.ts';
import { startTarget, type Target } from '../measure/target.ts';
import { chat, freshRelayer, model } from './gateway.ts';
import { price } from './payments.ts';

const folder = fileURLToPath(new URL('../peers/', import.meta.url));
const bare = fileURLToPath(new URL('./bare.ts', import.meta.url));

/** Installs the pinned peers in their own folder, unless they are there. Throws when the installation fails. */
export function installPeers(say: (line: string) => void): void {
  installPinned(folder, say);
}

export type Fixed = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** How long each response waits; by default it is sent at once. */
  readonly delayMs?: number;
};

/** Starts a server that reads and parses each body and sends these bytes. */
export function startBare(framework: 'koa' | 'node', fixed: Fixed): Promise<Target> {
  const name = framework === 'koa' ? 'bare Koa' : 'bare node:http';
  return startTarget({ name, program: bare, parameters: [framework, JSON.stringify(fixed)] });
}

/** Starts a fake of an OpenAI-compatible server whose model takes this time. Its URL ends with `/v1`. */
export async function startUpstream(delayMs: number): Promise<Target> {
  const completion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 },
  };
  const headers = { 'Content-Type': 'application/json' };
  const upstream = await startBare('node', {
    status: 200,
    headers,
    body: JSON.stringify(completion),
    delayMs,
  });
  return { ...upstream, name: `upstream of ${delayMs} ms`, url: `${upstream.url}/v1` };
}

/** Starts Koa with undici, which parses each body and sends the response of the upstream. */
export function startProxy(upstream: string): Promise<Target> {
  return startTarget({
    name: 'Koa and undici',
    program: bare,
    parameters: ['proxy', JSON.stringify({ upstream })],
  });
}

/** Starts Portkey's gateway. The headers of each request name its upstream. */
export function startPortkey(): Promise<Target> {
  return startTarget({ name: 'Portkey', program: `${folder}portkey.mjs`, parameters: [] });
}

export function officialName(framework: 'express' | 'hono'): string {
  return `@x402/${framework}`;
}

type Official = {
  readonly devnet: Devnet;
  /** The base URL of the model; by default the handler responds at once. */
  readonly upstream?: string;
  readonly isProbed?: boolean;
};

/** Starts the official x402 middleware with its facilitator in the same process. */
export async function startOfficial(
  framework: 'express' | 'hono',
  { devnet, upstream, isProbed = false }: Official,
): Promise<Target> {
  const relayer = await freshRelayer(devnet);
  const completion = { object: 'chat.completion', choices: [{ message: { content: 'pong' } }] };
  const options = {
    rpcUrl: devnet.rpcUrl,
    chainId,
    payTo: devnet.payTo,
    asset: devnet.token.address,
    tokenName: devnet.token.name,
    tokenVersion: devnet.token.version,
    price,
    path: chat.path,
    completion,
    upstream,
  };
  return startTarget({
    name: officialName(framework),
    program: `${folder}official.mjs`,
    parameters: [framework, JSON.stringify(options)],
    environment: { RELAYER_KEY: relayer.privateKey },
    isProbed,
  });
}
