import { streamCommentsMax } from '../limits.ts';

/** An event or a comment of a stream. */
export type StreamPart =
  | { readonly kind: 'data'; readonly data: string }
  | { readonly kind: 'comment'; readonly text: string };

/** The limits of one stream. */
export type StreamBounds = {
  readonly bytesMax: number;
  /** The longest silence. A gateway sends comments while no text comes. */
  readonly idleMs: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
};

/** Reads server-sent events and comments. Throws when the connection breaks, or at a limit. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  bounds: StreamBounds,
): AsyncGenerator<StreamPart, void, void> {
  let data: string[] = [];
  let comments = 0;
  for await (const lines of readLines(body, bounds)) {
    for (const line of lines) {
      if (line.startsWith(':')) {
        comments++;
        if (comments > streamCommentsMax) throw new RangeError('the stream has too many comments');
        yield { kind: 'comment', text: line.slice(1) };
      } else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        yield { kind: 'data', data: data.join('\n') };
        data = [];
      }
    }
  }
  // The end of the body ends the last event too, as in OpenAI's clients.
  if (data.length > 0) yield { kind: 'data', data: data.join('\n') };
}

/** The lines of the body, as many at once as arrive. A line ends with CR, LF, or both. */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  bounds: StreamBounds,
): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder();
  /** The beginning of a line. */
  let begun = '';
  let endedWithCr = false;
  for await (const bytes of readBytes(body, bounds)) {
    const text = decoder.decode(bytes, { stream: true });
    if (text === '') continue;
    const [first = '', ...rest] = text
      .slice(endedWithCr && text.startsWith('\n') ? 1 : 0)
      .split(/\r\n|\r|\n/);
    endedWithCr = text.endsWith('\r');
    const lines = [begun + first, ...rest];
    begun = lines.pop() ?? '';
    yield lines;
  }
  yield [begun];
}

/** Reads the bytes, and cancels the body when the reader takes no more, at a limit, or after a silence. */
async function* readBytes(
  body: ReadableStream<Uint8Array>,
  { bytesMax, idleMs, signal }: StreamBounds,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader();
  let length = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await withinTime(reader.read(), idleMs, signal);
      if (next.done) return;
      length += next.value.length;
      if (length > bytesMax) throw new RangeError(`the stream is larger than ${bytesMax} bytes`);
      yield next.value;
    }
  } finally {
    // Without effect on a body that has ended.
    reader.cancel().catch(() => undefined);
  }
}

async function withinTime<Value>(
  reading: Promise<Value>,
  idleMs: number,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing came for ${idleMs} ms`)), idleMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([reading, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
