import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../types/clock.ts';
import { makeTlsCertificate } from '../deploy/tls-certificate.ts';

/** A proxy before a gateway, as operators put one there: it ends TLS, and takes a path away. */
export type PathProxy = {
  /** The address of the gateway for clients, with the path. */
  readonly url: string;
  /** The requests outside the path, which the proxy refused. */
  readonly outside: readonly string[];
  forwardTo(gatewayUrl: string): void;
  stop(): Promise<void>;
};

export async function startPathProxy(path: string): Promise<PathProxy> {
  let target = '';
  const outside: string[] = [];
  const server = createServer(await makeTlsCertificate(systemClock.nowSeconds(), 1), (sent, reply) => {
    const { url = '', method, headers } = sent;
    if (!url.startsWith(`${path}/`)) {
      outside.push(url);
      reply.writeHead(404).end();
      return;
    }
    const forwarded = request(target + url.slice(path.length), { method, headers }, (received) => {
      reply.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(reply);
    });
    forwarded.on('error', () => reply.destroy());
    reply.on('close', () => forwarded.destroy());
    sent.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    outside,
    forwardTo(gatewayUrl) {
      target = gatewayUrl;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
