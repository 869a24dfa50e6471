import type { Socket } from 'node:net';

/** Holds about 40 of the shortest requests. */
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
 * and a held socket cannot be resumed by others.
 */
export function controlReading(socket: Socket): Reading {
  const push = socket.push.bind(socket);
  const resume = socket.resume.bind(socket);
  let isHeld = false;
  /** The least that is missing of the body that is being read: no request can begin in these bytes. */
  let bodyBytesLeft = 0;

  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null) return push(chunk);
    let wantsMore = true;
    for (let at = 0; at < chunk.length; ) {
      const slice = chunk.subarray(at, at + Math.max(sliceBytes, bodyBytesLeft));
      at += slice.length;
      bodyBytesLeft = Math.max(0, bodyBytesLeft - slice.length);
      wantsMore = push(slice, encoding);
    }
    return wantsMore;
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
    },
    expectBody(bytes) {
      // Part of the body can be in the slice that the request ended in, and in those that wait.
      bodyBytesLeft = Math.max(0, bytes - sliceBytes - socket.readableLength);
    },
  };
}
