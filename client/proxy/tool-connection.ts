import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { headerNames } from '@paid-inference/contract/constants';
import { requestBytesMax } from './limits.ts';
import type { Recording } from './recording.ts';

/** Null for a body that is too large. */
export async function readBody(incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Buffer[] = [];
  let length = 0;
  // Otherwise the connection ends before the tool has the error.
  for await (const part of incoming.iterator({ destroyOnReturn: false })) {
    length += part.length;
    if (length > requestBytesMax) return null;
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Waits for a value while the tool waits too. Rejects when the tool leaves without the whole response. */
export async function whileOpen<Value>(outgoing: ServerResponse, value: Promise<Value>): Promise<Value> {
  const left = () => {
    if (outgoing.writableFinished) return value;
    throw new Error('the tool left');
  };
  if (outgoing.closed) return left();
  const done = new AbortController();
  const closed = once(outgoing, 'close', { signal: done.signal }).then(left);
  try {
    return await Promise.race([value, closed]);
  } finally {
    closed.catch(() => undefined);
    done.abort();
  }
}

/** The gateway's headers that a tool gets: receipt, proof, limits of the rate. */
const forwarded = ['Content-Type', ...Object.values(headerNames)];

/** Writes a response. Rejects when the tool leaves before its end, or the response breaks. */
export async function write(
  outgoing: ServerResponse,
  { status, headers, read }: Pick<Recording, 'status' | 'headers' | 'read'>,
): Promise<void> {
  for (const name of forwarded) {
    const value = headers.get(name);
    if (value !== null) outgoing.setHeader(name, value);
  }
  outgoing.writeHead(status);
  outgoing.flushHeaders();
  await whileOpen(outgoing, pipeline(Readable.from(read()), outgoing));
}
