import type { Socket } from 'node:net';

/** Holds about 40 of the shortest requests, or 170 of the shortest chunks. */
const sliceBytes = 1_024;

/** Stops and starts what a connection hands to Node's HTTP parser. */
export type Reading = {
  hold(): void;
  release(): void;
  /** Says that a request was parsed that has so many bytes of body, so that they need not come in slices. */
  expectBody(bytes: number): void;
};

/**
 * Makes the reading of a connection stop where it is told to. Node's parser does not: of the 64 KiB that one read brings
 * it makes 2,500 requests, with 5 MB of objects, and after each it resumes the socket. So what was read comes in slices,
 * and a held socket cannot be resumed by others. Slices behind the first come in later turns of the event loop
 * (`callSoon`), because 64 KiB of one-byte chunks hold up the other clients for 10 ms.
 */
export function controlReading(socket: Socket, callSoon: (call: () => void) => void): Reading {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const resume = socket.resume.bind(socket);
  let isHeld = false;
  /** The least that is missing of the body that is being read: no request can begin in these bytes. */
  let bodyBytesLeft = 0;
  /** The part of what was read that the parser did not get yet. The socket is not read while there is some. */
  let rest: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  let isDue = false;

  socket.push = (chunk: Buffer | null) => {
    if (chunk === null) hasEnded = true;
    else rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    return isDue ? false : pushSlice();
  };
  socket._read = (size) => {
    if (rest.length === 0) read(size);
  };
  socket.resume = () => (isHeld ? socket : resume());
  // With a listener of its own the socket is read as a stream, and not by the parser past it.
  socket.on('data', () => undefined);

  return {
    hold() {
      isHeld = true;
      socket.pause();
    },
    release() {
      isHeld = false;
      resume();
      pushLater();
    },
    expectBody(bytes) {
      // Part of the body can be in the slice that the request ended in, and in those that wait in the socket.
      bodyBytesLeft = Math.max(0, bytes - sliceBytes - socket.readableLength);
    },
  };

  /** Gives the parser one slice, and the bytes of a body of known length behind it. */
  function pushSlice(): boolean {
    let wantsMore = true;
    do {
      const slice = rest.subarray(0, Math.max(sliceBytes, bodyBytesLeft));
      rest = rest.subarray(slice.length);
      bodyBytesLeft = Math.max(0, bodyBytesLeft - slice.length);
      if (slice.length > 0) wantsMore = push(slice);
    } while (bodyBytesLeft > 0 && rest.length > 0);
    if (rest.length > 0) {
      pushLater();
      return false;
    }
    return hasEnded ? push(null) : wantsMore;
  }

  function pushLater(): void {
    if (isDue || isHeld || rest.length === 0) return;
    isDue = true;
    callSoon(() => {
      isDue = false;
      if (socket.destroyed || isHeld) return;
      if (pushSlice()) socket.read(0);
    });
  }
}
