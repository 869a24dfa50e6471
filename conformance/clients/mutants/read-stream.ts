import { streamDone } from '@paid-inference/contract/constants';
import { decodeJson, member } from '../../wire/base64-json.ts';
import type { Breakage } from '../scenario.ts';

/** The id of the completion, if there was a chunk, and how the stream broke, if it broke. */
type StreamReading = { readonly id: unknown; readonly breakage: Breakage | undefined };

/** Reads a stream of chunks to its end. */
export async function readStream(response: Response, timeout: AbortSignal): Promise<StreamReading> {
  const decoder = new TextDecoder();
  let [text, id]: [string, unknown] = ['', undefined];
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch {
    if (timeout.aborted) return { id: findId(text), breakage: 'silence' };
    id = findId(text);
    return { id, breakage: id === undefined ? 'unstarted' : 'cut' };
  }
  id = findId(text);
  const events = listEvents(text);
  if (events.some((event) => member(parse(event), 'error') !== undefined)) return { id, breakage: 'error' };
  return { id, breakage: events.includes(streamDone) ? undefined : 'undone' };
}

function findId(text: string): unknown {
  return listEvents(text)
    .map((event) => member(parse(event), 'id'))
    .find((id) => id !== undefined);
}

function listEvents(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => line.slice('data: '.length));
}

function parse(event: string): unknown {
  const decoded = decodeJson(Buffer.from(event));
  return decoded.ok ? decoded.value : undefined;
}
