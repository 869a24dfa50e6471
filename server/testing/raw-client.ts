import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends the given bytes unchanged, and reads only on request. */
export type RawClient = {
  readonly socket: Socket;
  /** Returns the text received so far. */
  received(): string;
  write(text: string | Uint8Array): void;
  /** Reads until this text has arrived, or until the server closes the connection. */
  readUntil(end: string): Promise<string>;
  /** Reads to the end of the connection. */
  readAll(): Promise<string>;
};

/**
 * Connects to a server on this machine. The client reads nothing before a request to read, so the kernel's
 * buffers fill up.
 */
export async function connectRaw(url: string, from?: string): Promise<RawClient> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, ...(from && { localAddress: from }) });
  // Many tests make the server end the connection, so an error is no failure.
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
      // Searches each part only once, because a response may have megabytes in thousands of parts.
      let last = '';
      const check = (part: string) => {
        const searched = last + part;
        last = searched.slice(-end.length);
        if (!searched.includes(end)) return;
        socket.off('data', check);
        resolve(text);
      };
      socket
        .on('data', check)
        .once('close', () => resolve(text))
        .resume();
      check(text);
      return promise;
    },
    async readAll() {
      socket.resume();
      if (!socket.closed) await once(socket, 'close');
      return text;
    },
  };
}

/** Lists the status codes of the received responses, in order. Bodies must not contain a status line. */
export function statusesIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
