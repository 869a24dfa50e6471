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
  const decoder = new TextDecoder();
  let data: string[] = [];
  /** The beginning of a line. */
  let begun = '';
  for await (const bytes of readBytes(body, bounds)) {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
    const lines = [begun + first, ...rest];
    begun = lines.pop() ?? '';
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      if (line.startsWith(':')) yield { kind: 'comment', text: line.slice(1) };
      else if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      else if (line === '' && data.length > 0) {
        yield { kind: 'data', data: data.join('\n') };
        data = [];
      }
    }
  }
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
