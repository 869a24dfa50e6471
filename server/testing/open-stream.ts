import { streamDone } from '@paid-inference/contract/constants';

/** For tests: a streamed response whose events are read one after the other. */
export type OpenedStream = {
  readonly status: number;
  readonly headers: Headers;
  /** The next event or comment, without heartbeats; null at the end. Rejects when the connection breaks. */
  next(): Promise<string | null>;
  /** The texts of all events up to the end. Rejects when the connection breaks. */
  rest(): Promise<readonly string[]>;
  /** The text of the chunks that were read, joined. */
  text(): string;
};

/** Sends a body with `stream`, and returns after the headers. */
export async function openStream(
  url: string,
  body: object,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<OpenedStream> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, stream: true }),
    ...(signal && { signal }),
  });
  const events = readEvents(response);
  const texts: string[] = [];
  const next = async () => {
    const { value, done } = await events.next();
    if (done) return null;
    if (value.startsWith('data: {')) texts.push(readText(value));
    return value;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const all: string[] = [];
      for (let event = await next(); event !== null; event = await next()) all.push(event);
      return all;
    },
    text: () => texts.join(''),
  };
}

/** The last event of a whole stream. */
export const lastEvent = `data: ${streamDone}`;

async function* readEvents(response: Response): AsyncGenerator<string, void, void> {
  let begun = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const parts = (begun + decoder.decode(bytes, { stream: true })).split('\n\n');
    begun = parts.pop() ?? '';
    for (const part of parts) if (part !== ':') yield part;
  }
}

function readText(event: string): string {
  const [choice] = JSON.parse(event.slice('data: '.length)).choices;
  return choice?.delta?.content ?? choice?.text ?? '';
}
