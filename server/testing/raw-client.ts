import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that writes bytes as they are, and reads when it is told to. */
export type RawClient = {
  readonly socket: Socket;
  /** Everything that came so far. */
  received(): string;
  write(text: string | Uint8Array): void;
  /** Reads until this text came, or until the server closes the connection. */
  readUntil(end: string): Promise<string>;
  /** Reads to the end of the connection. */
  readAll(): Promise<string>;
};

/** Connects to a server on this machine. It reads nothing before it is told to, so the kernel's buffers fill up. */
export async function connectRaw(url: string, from?: string): Promise<RawClient> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) });
  // A server that ends the connection is what many tests ask for.
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket.pause();
  return {
    socket,
    received: () => text,
    write: (bytes) => void socket.write(bytes),
    readUntil(end) {
      const { promise, resolve } = Promise.withResolvers<string>();
      const look = () => text.includes(end) && resolve(text);
      socket
        .on('data', look)
        .once('close', () => resolve(text))
        .resume();
      look();
      return promise;
    },
    async readAll() {
      socket.resume();
      if (!socket.closed) await once(socket, 'close');
      return text;
    },
  };
}

/** Status codes of the responses in what came, in their order; bodies must not look like a status line. */
export function statusesIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
