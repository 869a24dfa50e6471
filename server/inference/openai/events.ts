/** A stream of events that breaks a rule. The message is for the log: it names the rule and no content. */
export class EventFault extends Error {
  override readonly name = 'EventFault';
}

/**
 * Reads server-sent events and yields the data of each. Names, ids and comments are skipped, and so is an event
 * without its end. Throws an `EventFault` for an event over `eventBytesMax`.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  eventBytesMax: number,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let data: string[] = [];
  /** The beginning of a line. */
  let begun = '';
  let eventBytes = 0;
  for await (const bytes of body) {
    const [first = '', ...rest] = decoder.decode(bytes, { stream: true }).split('\n');
    const lines = [begun + first, ...rest];
    begun = lines.pop() ?? '';
    for (const ended of lines) {
      const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
      eventBytes += Buffer.byteLength(line);
      if (eventBytes > eventBytesMax) break;
      if (line !== '') {
        const value = readData(line);
        if (value !== null) data.push(value);
        continue;
      }
      if (data.length > 0) yield data.join('\n');
      data = [];
      eventBytes = 0;
    }
    if (eventBytes + begun.length > eventBytesMax)
      throw new EventFault(`an event is larger than ${eventBytesMax} bytes`);
  }
}

/** The value of a field `data`; null for any other field and for a comment. One space after the colon is no part. */
function readData(line: string): string | null {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return null;
  return line.slice(line.startsWith('data: ') ? 6 : 5);
}
