import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createUpstreamProbe, type UpstreamProbe, type UpstreamProbeOptions } from './upstream-probe.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A fake upstream and its probe. */
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

describe('The probe of an upstream (D-143)', () => {
  it('requests the list of models with the key, which costs no tokens', async () => {
    const asked: unknown[] = [];
    const { probe } = await probed(({ method, url, headers }, response) => {
      asked.push([method, url, headers.authorization]);
      response.end('{}');
    });
    expect(await probe.issue()).toBeNull();
    expect(asked).toEqual([['GET', '/api/v1/models', 'Bearer a-secret-word']]);
  });

  it.each([200, 404, 405, 429, 500])(
    'reports no issue for status %i, which comes from the upstream itself',
    async (status) => {
      const { probe } = await probed((_, response) => response.writeHead(status).end('{}'));
      expect(await probe.issue()).toBeNull();
    },
  );

  it.each([401, 403])('names the variable of the key for status %i, and not the key', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end('{}'));
    expect(await probe.issue()).toBe(
      `the upstream rejects the key in UPSTREAM_KEY: GET /models returns ${status}. Set UPSTREAM_KEY to a key that may list models`,
    );
  });

  it.each([401, 403])('names the catalog field of the key for status %i without a key', async (status) => {
    const { probe } = await probed((_, response) => response.writeHead(status).end('{}'), {});
    expect(await probe.issue()).toBe(
      `the upstream needs a key: GET /models returns ${status}. Name a variable in api_key_env of the model in the catalog`,
    );
  });

  it.each([502, 503, 504])(
    'reports status %i, which comes from a proxy whose upstream is down',
    async (status) => {
      const { probe } = await probed((_, response) => response.writeHead(status).end());
      expect(await probe.issue()).toBe(`the upstream is unavailable: it returns ${status}`);
    },
  );

  it('reports refused connections, and no issue once the upstream accepts them', async () => {
    const { probe, close } = await probed((_, response) => response.end('{}'));
    expect(await probe.issue()).toBeNull();
    await close();
    const issue = await probe.issue();
    expect(issue).toBe('the upstream is unavailable: no connection to the upstream (ECONNREFUSED)');
  });

  it('reports connections that are accepted and then closed, as a forwarded port does', async () => {
    const server = createTcpServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = createUpstreamProbe({ baseUrl: `http://127.0.0.1:${port}`, connectTimeoutMs: 1_000 });
    expect(await probe.issue()).toMatch(/^the upstream is unavailable: no connection/);
    await probe.close();
    server.close();
  });

  it('retries when the upstream closed the kept connection', async () => {
    const { probe } = await probed((_, response) => {
      response.shouldKeepAlive = true;
      response.end('{}', () => response.socket?.destroy());
    });
    for (let time = 0; time < 5; time++) expect(await probe.issue()).toBeNull();
  });

  it('reports no issue for a slow response, because the upstream may be busy', async () => {
    const { probe } = await probed(() => undefined);
    expect(await probe.issue()).toBeNull();
  });

  it('reports no issue for a list of models above the size limit', async () => {
    const { probe } = await probed((_, response) => response.end('x'.repeat(1_000_000)));
    expect(await probe.issue()).toBeNull();
  });
});
