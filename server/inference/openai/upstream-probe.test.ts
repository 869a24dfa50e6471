import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createUpstreamProbe, type UpstreamProbe, type UpstreamProbeOptions } from './upstream-probe.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** An upstream, and what asks it how it is. */
async function probed(
  listener: RequestListener,
  key: Partial<UpstreamProbeOptions> = { apiKey: 'a-secret-word', apiKeyEnv: 'UPSTREAM_KEY' },
): Promise<{ probe: UpstreamProbe; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const probe = createUpstreamProbe({
    baseUrl: `http://127.0.0.1:${port}/api/v1/`,
    ...key,
    connectTimeoutMs: 150,
  });
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  opened.push(close, () => probe.close());
  return { probe, close };
}

describe('D-143: whether an upstream is there', () => {
  it('asks for the list of models with the key, which costs no tokens', async () => {
    const asked: unknown[] = [];
    const { probe } = await probed(({ method, url, headers }, response) => {
      asked.push([method, url, headers.authorization]);
      response.end('{}');
    });
    expect(await probe.issue()).toBeNull();
    expect(asked).toEqual([['GET', '/api/v1/models', 'Bearer a-secret-word']]);
  });

  it.each([200, 404, 405, 429, 500])('status %i is an answer of the upstream itself', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end('{}'));
    expect(await probe.issue()).toBeNull();
  });

  it.each([401, 403])('status %i says which key to change, and not the key', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end('{}'));
    expect(await probe.issue()).toBe(
      `the upstream refuses the key in UPSTREAM_KEY: its list of models answers ${status}. Set UPSTREAM_KEY to a key that may list models`,
    );
  });

  it.each([401, 403])('status %i without a key says where to name one', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end('{}'), {});
    expect(await probe.issue()).toBe(
      `the upstream wants a key: its list of models answers ${status}. Name a variable in api_key_env of the model in the catalog`,
    );
  });

  it.each([502, 503, 504])('status %i is that of a proxy whose upstream is away', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end());
    expect(await probe.issue()).toBe(`the upstream is away: it answers ${status}`);
  });

  it('one that refuses connections is away, and there again when it takes them', async () => {
    const { probe, close } = await probed((_, response) => response.end('{}'));
    expect(await probe.issue()).toBeNull();
    await close();
    const issue = await probe.issue();
    expect(issue).toBe('the upstream is away: no connection to the upstream (ECONNREFUSED)');
  });

  it('one that takes connections and breaks them, as a port that leads nowhere does, is away', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = createUpstreamProbe({ baseUrl: `http://127.0.0.1:${port}`, connectTimeoutMs: 1_000 });
    expect(await probe.issue()).toMatch(/^the upstream is away: no connection/);
    await probe.close();
    server.close();
  });

  it('one that closed the connection that was kept is not away', async () => {
    const { probe } = await probed((_, response) => {
      response.shouldKeepAlive = true;
      response.end('{}', () => response.socket?.destroy());
    });
    for (let time = 0; time < 5; time++) expect(await probe.issue()).toBeNull();
  });

  it('one that is slow to answer may be busy, and is not away', async () => {
    const { probe } = await probed(() => undefined);
    expect(await probe.issue()).toBeNull();
  });

  it('a list of models longer than is read is an answer too', async () => {
    const { probe } = await probed((_, response) => response.end('x'.repeat(1_000_000)));
    expect(await probe.issue()).toBeNull();
  });
});
