import type { IncomingMessage } from 'node:http';
import { fail, ok, type Result } from '../types/result.ts';
import { createFairTurns } from './fair-turns.ts';
import { createSiteBytes } from './site-bytes.ts';
import { waitingRequests } from './waiting-requests.ts';

export type BytesFault =
  | { readonly kind: 'too-large'; readonly bodyBytesMax: number }
  | { readonly kind: 'too-slow'; readonly bodyTimeoutMs: number }
  | { readonly kind: 'crowded-out' }
  | { readonly kind: 'client-left' };

export type BytesLimits = {
  readonly bodyBytesMax: number;
  readonly bodyTimeoutMs: number;
  /** Bytes of the buffers of all incomplete bodies together. A buffer has up to twice the bytes that arrived. */
  readonly arrivingBytesMax: number;
};

/** `site` is the client's site (D-224). Sites take turns with large bodies. */
export type ReadBytes = (request: IncomingMessage, site: string) => Promise<Result<Buffer, BytesFault>>;

/** Parsing and pricing so many bytes takes at most 0.3 ms. A larger body waits for its turn. */
const bytesWithoutTurnMax = 1_024;

/**
 * Reads bodies within their size and time. All incomplete bodies share one limit. Beyond it the reader gives up
 * the oldest body of the site with the most bytes, because an honest client finishes far sooner than one that holds
 * memory. Complete bodies are handed out few in a turn of the event loop (D-173), and count until then.
 */
export function createBytesReader(limits: BytesLimits): ReadBytes {
  const arriving = createSiteBytes<Arriving>();
  const takeTurn = createFairTurns();
  const wholeBytesMax = Math.min(bytesWithoutTurnMax, limits.bodyBytesMax);

  return (request, site) => {
    const tooLarge = fail({ kind: 'too-large', bodyBytesMax: limits.bodyBytesMax } as const);
    if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytesMax)
      return Promise.resolve(tooLarge);
    // A small body that came with its head needs no timer, no listeners and no copy.
    if (request.complete && !request.destroyed && request.readableLength <= wholeBytesMax)
      return Promise.resolve(ok((request.read() as Buffer | null) ?? noBytes));
    return new Promise((resolve) => {
      const body: Arriving = { bytes: noBytes, size: 0, end: finish };
      let isFinished = false;
      let takeTurnBack = () => {};
      const timer = setTimeout(
        () => finish(fail({ kind: 'too-slow', bodyTimeoutMs: limits.bodyTimeoutMs })),
        limits.bodyTimeoutMs,
      );
      const take = (chunk: Buffer) => {
        if (body.size + chunk.length > limits.bodyBytesMax) return finish(tooLarge);
        append(body, chunk, limits.bodyBytesMax);
        arriving.set(body, site, body.bytes.length);
        while (arriving.total > limits.arrivingBytesMax)
          arriving.oldestOfLargest()?.end(fail({ kind: 'crowded-out' }));
      };
      const end = () => {
        if (body.size <= bytesWithoutTurnMax) return finish(complete());
        clearTimeout(timer);
        request.off('close', left);
        waitingRequests.add(request);
        takeTurnBack = takeTurn(site, body.size, () =>
          finish(request.socket.destroyed ? clientLeft : complete()),
        );
      };
      const complete = () => ok(body.bytes.subarray(0, body.size));
      const left = () => finish(clientLeft);
      arriving.set(body, site, 0);
      request.on('data', take).on('end', end).on('error', left).on('close', left);

      function finish(result: Result<Buffer, BytesFault>): void {
        if (isFinished) return;
        isFinished = true;
        arriving.remove(body);
        // A body that was given up must not wait for its turn: its bytes count no longer.
        takeTurnBack();
        waitingRequests.delete(request);
        clearTimeout(timer);
        request.off('data', take).off('end', end).off('close', left);
        resolve(result);
      }
    });
  };
}

const noBytes = Buffer.alloc(0);

const clientLeft = fail({ kind: 'client-left' } as const);

type Arriving = {
  bytes: Buffer;
  size: number;
  readonly end: (result: Result<Buffer, BytesFault>) => void;
};

/**
 * Copies the chunk behind the bytes of the body: a client may send one byte in each chunk, and a separate buffer
 * costs a hundred bytes.
 */
function append(body: Arriving, chunk: Buffer, bytesMax: number): void {
  const size = body.size + chunk.length;
  if (size > body.bytes.length) {
    const grown = Buffer.allocUnsafe(Math.min(bytesMax, Math.max(size, 2 * body.bytes.length, 4_096)));
    body.bytes.copy(grown, 0, 0, body.size);
    body.bytes = grown;
  }
  chunk.copy(body.bytes, body.size);
  body.size = size;
}
