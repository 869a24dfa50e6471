import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { endpoints, headerNames } from '@paid-inference/contract/constants';
import type { Payment } from './buyers.ts';
import { temporaryFolder } from './folder.ts';
import type { ScenarioContext } from './scenario.ts';

/** The local proxy of the client in its own process, with a journal that survives it. */
export type PayingProxy = {
  /** The URL of chat completions, for tools. */
  chat(): string;
  /** Signs up a tool that buys one completion through the proxy. */
  openTool(): Promise<Payment>;
  /** Sends SIGKILL and starts the proxy again with the same journal. */
  killAndRestart(): Promise<void>;
  /** Takes the payments of the tools from the requests that the proxy sent. */
  adopt(): void;
  close(): Promise<void>;
};

const program = fileURLToPath(new URL('../../client/cli.ts', import.meta.url));
const accessToken = 'the-token-of-the-faults';
const readyDeadlineMs = 30_000;

/** Starts a gateway, and a proxy in front of it. */
export async function startPayingProxy(context: ScenarioContext): Promise<PayingProxy> {
  const { path: folder, remove } = temporaryFolder();
  const keyFile = join(folder, 'payer.key');
  writeFileSync(keyFile, context.chain.devnet.payer.privateKey, { mode: 0o600 });
  const tap = await startTap(() => new URL(context.anyUrl()));
  const tools: Payment[] = [];
  // The offer names the gateway behind the tap.
  const { host } = new URL((await context.start()).url);
  const given = [
    'proxy',
    '--upstream',
    tap.url,
    '--resource-host',
    host,
    '--key-file',
    keyFile,
    '--port',
    '0',
  ];
  let running = await start();

  async function start(): Promise<{ readonly child: ChildProcess; readonly chat: string }> {
    const child = spawn(process.execPath, [program, ...given], {
      env: {
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        PAID_INFERENCE_PROXY_TOKEN: accessToken,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const killNow = () => void child.kill('SIGKILL');
    process.once('exit', killNow);
    child.once('close', () => process.off('exit', killNow));
    const ready = Promise.withResolvers<string>();
    const late = setTimeout(killNow, readyDeadlineMs);
    createInterface(child.stderr).on('line', (line) => {
      const base = /serves (\S+)\/v1 /.exec(line)?.[1];
      if (base !== undefined) ready.resolve(base + endpoints.createChatCompletion.path);
    });
    child.once('close', () => ready.reject(new Error('The proxy did not start')));
    try {
      return { child, chat: await ready.promise };
    } finally {
      clearTimeout(late);
    }
  }

  async function kill(): Promise<void> {
    const gone = once(running.child, 'close');
    running.child.kill('SIGKILL');
    await gone;
  }

  return {
    chat: () => running.chat,
    async openTool() {
      const tool = await context.buyers.sign();
      // The proxy pays, with an authorization of its own.
      tool.headers = { Authorization: `Bearer ${accessToken}` };
      tools.push(tool);
      return tool;
    },
    async killAndRestart() {
      await kill();
      running = await start();
    },
    adopt() {
      for (const tool of tools) {
        const sent = tap.payments.get(tool.prompt) ?? [];
        context.check(sent.length === 1, `${tool.prompt}: the proxy sent ${sent.length} authorizations`);
        const [{ nonce, header } = { nonce: '', header: '' }] = sent;
        tool.nonce = nonce;
        tool.headers = { ...tool.headers, [headerNames.payment]: header };
      }
    },
    async close() {
      await kill();
      await tap.close();
      remove();
    },
  };
}

type Sent = { readonly nonce: string; readonly header: string };

/** Forwards all requests to the gateway that runs, and keeps their payments. */
async function startTap(gateway: () => URL) {
  /** The different authorizations for each prompt. */
  const payments = new Map<string, Sent[]>();
  const server = createServer(async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming);
      const header = incoming.headers[headerNames.payment.toLowerCase()];
      if (typeof header === 'string') keep(payments, body, header);
      const { method = 'GET', url = '/', headers } = incoming;
      const forwarded = request(new URL(url, gateway()), { method, headers, agent: false });
      outgoing.once('close', () => forwarded.destroy());
      forwarded.once('error', () => outgoing.destroy());
      forwarded.once('response', (response) => {
        response.once('error', () => outgoing.destroy());
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      });
      forwarded.end(body);
    } catch {
      outgoing.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payments,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function keep(payments: Map<string, Sent[]>, body: Buffer, header: string): void {
  const { messages } = JSON.parse(body.toString()) as {
    readonly messages: readonly { readonly content: string }[];
  };
  const prompt = messages[0]?.content ?? '';
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString()) as {
    readonly payload: { readonly authorization: { readonly nonce: string } };
  };
  const nonce = payload.authorization.nonce.toLowerCase();
  const sent = payments.get(prompt) ?? [];
  if (!sent.some((each) => each.nonce === nonce)) sent.push({ nonce, header });
  payments.set(prompt, sent);
}
