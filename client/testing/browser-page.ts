import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Browser, chromium } from 'playwright-core';
import { rolldown } from 'rolldown';

/** Names of Chromium on Debian, and of its relatives elsewhere. */
const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** A wallet as an extension injects it. The test answers its requests, so the key is not in the page. */
export const injectedWalletScript = `
  const provider = {
    async request(call) {
      const { result, error } = await window.requestOfWallet(call);
      if (error) throw error;
      return result;
    },
  };
  const info = { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test', icon: 'data:,', rdns: 'test.wallet' };
  const announce = () => {
    const detail = Object.freeze({ info, provider });
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  };
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
`;

/** Starts Chromium. Throws when this machine has none. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = programs.flatMap(findProgram)[0];
  if (executablePath === undefined)
    throw new Error(`There is no Chromium (${programs.join(', ')}). Install one: apt-get install chromium`);
  return chromium.launch({ executablePath });
}

function findProgram(name: string): readonly string[] {
  try {
    return [execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()];
  } catch {
    return [];
  }
}

export type Site = { readonly url: string; [Symbol.asyncDispose](): Promise<void> };

/** Serves a page with one program, which may connect to these origins only and may not evaluate text. */
export async function serveProgram(code: string, origins: readonly string[]): Promise<Site> {
  const files = await bundle(code);
  const policy = `default-src 'none'; script-src 'self'; img-src data:; connect-src ${origins.join(' ')}`;
  return listen(({ url = '/' }, response) => {
    const file = files.get(url);
    const type = file === undefined ? 'text/html' : 'text/javascript';
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy });
    response.end(
      file ??
        '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/page.js"></script>',
    );
  });
}

/** Bundles a program in TypeScript as a site would, with the packages of this repository. Returns code by path. */
async function bundle(code: string): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-browser-'));
  try {
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
    const input = join(folder, 'page.ts');
    writeFileSync(input, code);
    const bundled = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
    const { output } = await bundled.generate({ format: 'esm' });
    await bundled.close();
    return new Map(output.flatMap((each) => ('code' in each ? [[`/${each.fileName}`, each.code]] : [])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A gateway that redirects the requests of pages. */
export function serveRedirect(location: string): Promise<Site> {
  return listen((_, response) => {
    response.writeHead(307, { 'access-control-allow-origin': '*', location }).end();
  });
}

/** A node of a chain that accepts requests of pages. The devnet's nodes accept none. */
export function openNodeToPages(rpcUrl: string): Promise<Site> {
  return listen(async (request, response) => {
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };
    if (request.method === 'OPTIONS') return response.writeHead(204, headers).end();
    const type = { 'content-type': 'application/json' };
    const received = await fetch(rpcUrl, { method: 'POST', headers: type, body: await text(request) });
    return response.writeHead(received.status, { ...headers, ...type }).end(await received.text());
  });
}

async function listen(listener: RequestListener): Promise<Site> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the program of the manual's section about browsers. */
export function readBrowserProgram(): string {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code] = /^## Buy in a browser$[\s\S]*?^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  if (code === undefined) throw new Error('client/README.md has no program for browsers');
  return code;
}
