import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions, Server as NetServer } from 'node:net';

const { createServer } = process.getBuiltinModule('node:net');

/**
 * Node accepts one connection of a listening socket in a turn of the event loop. A turn of a busy gateway takes a
 * millisecond, and a thousand connections would wait for a second. With several sockets it accepts several in a turn (D-415).
 */
const socketsOfLinux = 32;

/** The system divides connections unevenly, so the share of a socket must not be small. */
const backlogMin = 128;

export type Bound = {
  readonly url: string;
  /** Accepts no more connections. Resolves once all connections have closed. */
  close(): Promise<void>;
};

/**
 * Binds the server to its port. As many connections may wait until the gateway accepts them as it may have open (D-390):
 * the system breaks connections beyond this number. Throws an error with `code` EADDRINUSE for a port in use.
 */
export async function bind(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  connectionsMax: number,
  sockets = process.platform === 'linux' ? socketsOfLinux : 1,
): Promise<Bound> {
  const backlog = Math.max(backlogMin, Math.ceil(connectionsMax / sockets));
  if (sockets === 1) {
    const url = urlOf(await listenOn(server, { host, port, backlog }));
    return { url, close: () => close(server) };
  }
  // Sockets that share a port would also share it with another gateway, so this one must be able to bind it alone.
  await using _guard = port === 0 ? null : await holdPort(host, port);
  const first = await listenOn(server, { host, port, backlog, reusePort: true });
  const further: NetServer[] = [];
  for (let count = 1; count < sockets; count++) {
    const { allowHalfOpen, noDelay } = optionsOfHttp;
    const each = createServer({ allowHalfOpen, noDelay }, (socket) => server.emit('connection', socket));
    await listenOn(each, { host, port: first.port, backlog, reusePort: true });
    further.push(each);
  }
  return {
    url: urlOf(first),
    close: async () => void (await Promise.all([server, ...further].map(close))),
  };
}

/** The options with which Node's HTTP server accepts connections. */
const optionsOfHttp = { allowHalfOpen: true, noDelay: true } as const;

/**
 * Binds the port alone for a moment. Until the end of the guard, no other gateway can do the same: an abstract socket of
 * Linux has one owner. Throws an error with `code` EADDRINUSE for a port in use.
 */
async function holdPort(host: string, port: number): Promise<AsyncDisposable> {
  const [guard, probe] = [createServer(), createServer()];
  await listenOn(guard, { path: `\0paid-inference-gateway ${host} ${port}` });
  try {
    await listenOn(probe, { host, port });
    await close(probe);
  } catch (cause) {
    await close(guard);
    throw cause;
  }
  return { [Symbol.asyncDispose]: () => close(guard) };
}

function listenOn(server: NetServer, options: ListenOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function close(server: NetServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
