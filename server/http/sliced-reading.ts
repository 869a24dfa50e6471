import type { Socket } from 'node:net';

/** Holds about 40 of the shortest requests. */
const sliceBytes = 1_024;

/**
 * Hands what was read on to the HTTP parser in small slices. The parser does not stop within what it was given: of the
 * 64 KiB that one read brings it would make 2,500 requests, with 5 MB of objects, before the connection can be paused.
 */
export function readInSlices(socket: Socket): void {
  const push = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null, encoding) => {
    if (chunk === null || chunk.length <= sliceBytes) return push(chunk, encoding);
    let wantsMore = true;
    for (let at = 0; at < chunk.length; at += sliceBytes)
      wantsMore = push(chunk.subarray(at, at + sliceBytes), encoding);
    return wantsMore;
  };
  // With a listener of its own the socket is read through its stream, and not by the parser past it.
  socket.on('data', () => undefined);
}
