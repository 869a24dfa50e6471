import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCertificates } from './certificates.ts';

export type SeenCall = {
  readonly method: string;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: string;
  /** The caller's `Connection` header. */
  readonly connection: string | undefined;
};

export type FakeResponse = { readonly status?: number; readonly text: string };

/** A helper service of a platform, behind a real socket. */
export type FakeServer = {
  readonly calls: readonly SeenCall[];
  close(): Promise<void>;
};

/** Returns the response to a call; null for no response. */
type Respond = (call: SeenCall) => FakeResponse | null;

/** Starts a server on a Unix socket in its own folder. */
export async function fakeSocket(respond: Respond): Promise<FakeServer & { readonly socket: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'paid-inference-socket-'));
  const socket = join(folder, 'agent.sock');
  const { calls, listen, close } = fake(respond);
  await listen(socket);
  return {
    socket,
    calls,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts a server on a free port of the loopback interface. With `https` its certificate is not trusted. */
export async function fakePort(
  respond: Respond,
  protocol: 'http' | 'https' = 'http',
): Promise<FakeServer & { readonly url: string }> {
  const { calls, listen, close } = fake(respond, protocol === 'https' ? await credentials() : null);
  const address = await listen(0);
  return { url: `${protocol}://127.0.0.1:${address.port}`, calls, close };
}

/** Makes a server, with TLS when it has credentials. */
function fake(respond: Respond, tls: Credentials | null = null) {
  const calls: SeenCall[] = [];
  const listener: RequestListener = (request, response) => void serve(request, response);
  const server = tls === null ? createServer(listener) : createSecureServer(tls, listener);
  return {
    calls,
    listen: (at: string | number) =>
      new Promise<AddressInfo>((resolve) => {
        if (typeof at === 'string') server.listen(at, () => resolve(server.address() as AddressInfo));
        else server.listen(at, '127.0.0.1', () => resolve(server.address() as AddressInfo));
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = {
      method: request.method ?? '',
      url: request.url ?? '',
      contentType: request.headers['content-type'],
      body: Buffer.concat(chunks).toString(),
      connection: request.headers.connection,
    };
    calls.push(call);
    const said = respond(call);
    if (said === null) return;
    response.writeHead(said.status ?? 200).end(said.text);
  }
}

type Credentials = { readonly cert: string; readonly key: string | Buffer };

async function credentials(): Promise<Credentials> {
  const { leaf } = await testCertificates();
  return { cert: leaf.pem, key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }) };
}
