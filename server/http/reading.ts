import type { Socket } from 'node:net';

/** Holds about 40 of the shortest requests, or 170 of the shortest chunks. */
const sliceBytes = 1_024;
/** The size of Node's buffer for a read. Node reads a socket again in the same turn only after a read that fills it. */
const readBytesMax = 65_536;

/** Pauses and resumes the bytes that a connection passes to Node's HTTP parser. */
export type Reading = {
  hold(): void;
  release(): void;
  /** Announces the body length of a parsed request. These bytes need not come in slices. */
  expectBody(bytes: number): void;
};

/**
 * Lets the gateway pause a connection at once. Node's parser cannot: it makes 2,500 requests (5 MB of objects)
 * from one read of 64 KiB, and resumes the socket after each. So the parser gets the bytes in slices, and only
 * this object resumes a held socket. Later slices come in later turns of the event loop (`callSoon`), because
 * 64 KiB of one-byte chunks hold up the other clients for 10 ms. A large body is read once in such a turn: Node
 * would read up to 2 MiB of each connection in one turn (D-409).
 */
export function controlReading(socket: Socket, callSoon: (call: () => void) => void): Reading {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const resume = socket.resume.bind(socket);
  let isHeld = false;
  /** The least number of bytes that the current body still lacks. No request can begin in these bytes. */
  let bodyBytesLeft = 0;
  /** Bytes that were read and not yet given to the parser. The socket is not read while there are any. */
  let rest: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let isDue = false;
  let hasFilledBuffer = false;
  /** A later turn reads the socket. The stream asks once for bytes, and does not ask again before it gets some. */
  let mustRead = false;

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else {
      hasFilledBuffer = chunk.length >= readBytesMax;
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    }
    return isDue ? false : pushSlice();
  };
  socket._read = (size) => {
    if (rest.length === 0 && !isDue) read(size);
    else mustRead = true;
  };
  socket.resume = () => {
    if (isHeld) return socket;
    resume();
    readOn();
    return socket;
  };
  // With a `data` listener Node reads the socket as a stream. Otherwise the parser reads the socket directly.
  socket.on('data', () => undefined);

  return {
    hold() {
      isHeld = true;
      socket.pause();
    },
    release() {
      isHeld = false;
      socket.resume();
    },
    expectBody(bytes) {
      // The current slice and the socket's buffer may already hold part of the body.
      bodyBytesLeft = Math.max(0, bytes - sliceBytes - socket.readableLength);
    },
  };

  /** Gives the parser one slice, followed by the bytes of a body of known length. */
  function pushSlice(): boolean {
    let wantsMore = true;
    do {
      const slice = rest.subarray(0, Math.max(sliceBytes, bodyBytesLeft));
      rest = rest.subarray(slice.length);
      bodyBytesLeft = Math.max(0, bodyBytesLeft - slice.length);
      if (slice.length > 0) wantsMore = push(slice);
    } while (bodyBytesLeft > 0 && rest.length > 0);
    if (rest.length > 0) {
      readOn();
      return false;
    }
    if (hasEnded) return push(null);
    if (bodyBytesLeft === 0 || !hasFilledBuffer) return wantsMore;
    mustRead = true;
    readOn();
    return false;
  }

  /** Goes on in a later turn, with the rest or with the next read of the socket. */
  function readOn(): void {
    if (isDue || isHeld || (rest.length === 0 && !mustRead)) return;
    isDue = true;
    callSoon(() => {
      isDue = false;
      if (socket.destroyed || isHeld) return;
      if (rest.length > 0) {
        if (pushSlice()) socket.read(0);
      } else if (!socket.isPaused()) {
        mustRead = false;
        read(0);
      }
    });
  }
}
