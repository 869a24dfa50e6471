import type { InferenceTask } from '../engine.ts';
import { isRecord } from './completion.ts';
import { EventFault } from './events.ts';

/** The chunks of one stream, put together. */
export type Chunks = {
  /** Adds the data of an event. Returns the text that it adds. Throws an `EventFault` for a wrong chunk. */
  add(data: string): string;
  /** Ends the completion for its length, without the last units of its text and without the usage. */
  cut(units: number): void;
  /** Whether a chunk had a `finish_reason`. A stream that ends before is broken. */
  readonly isFinished: boolean;
  /** The completion as an unstreamed response has it, not yet checked. */
  assemble(): unknown;
};

type CallParts = { id: unknown; name: unknown; written: string };

/** More calls than any request has tools, so that an upstream cannot fill the memory with empty ones. */
const callsMax = 1_024;

/**
 * Puts the chunks of a completion together. It requires the types that it needs for that; the check of the whole
 * completion follows. It accepts known deviations: null or no `finish_reason`, `usage` in several chunks, calls
 * without an index, and chunks without choices.
 */
export function createChunks(kind: InferenceTask['kind']): Chunks {
  let content: string | null = null;
  const calls = new Map<number, CallParts>();
  let finishReason: unknown = null;
  let usage: unknown;
  return {
    add(data) {
      const chunk = parse(data);
      usage = chunk['usage'] ?? usage;
      const choices = chunk['choices'] ?? [];
      if (!Array.isArray(choices)) throw new EventFault('a chunk has choices that are no list');
      let added = '';
      for (const choice of choices) {
        if (!isRecord(choice) || (choice['index'] ?? 0) !== 0)
          throw new EventFault('a chunk has a choice that was not asked for');
        finishReason = choice['finish_reason'] ?? finishReason;
        added += kind === 'chat' ? addDelta(choice['delta'] ?? {}) : addText(choice['text']);
      }
      return added;
    },
    cut(units) {
      content = (content ?? '').slice(0, -units || undefined);
      finishReason = 'length';
      usage = undefined;
    },
    get isFinished() {
      return finishReason !== null;
    },
    assemble() {
      const identity = { id: '', created: 0, model: '', usage };
      const ended = { index: 0, finish_reason: finishReason };
      if (kind === 'text')
        return { ...identity, object: 'text_completion', choices: [{ ...ended, text: content ?? '' }] };
      const written = [...calls].sort(([one], [other]) => one - other).map(([, parts]) => toCall(parts));
      const message = {
        role: 'assistant',
        content,
        ...(written.length > 0 && { tool_calls: written }),
      };
      return { ...identity, object: 'chat.completion', choices: [{ ...ended, message }] };
    },
  };

  function addText(text: unknown): string {
    if (text === undefined || text === null) return '';
    if (typeof text !== 'string') throw new EventFault('a chunk has a text that is no string');
    content = (content ?? '') + text;
    return text;
  }

  function addDelta(delta: unknown): string {
    if (!isRecord(delta)) throw new EventFault('a chunk has a delta that is no object');
    const parts = delta['tool_calls'] ?? [];
    if (!Array.isArray(parts)) throw new EventFault('a chunk has tool calls that are no list');
    for (const part of parts) addCall(part);
    return addText(delta['content']);
  }

  function addCall(part: unknown): void {
    if (!isRecord(part)) throw new EventFault('a chunk has a tool call that is no object');
    const called = part['function'] ?? {};
    const { index = calls.size } = part;
    if (!isRecord(called) || typeof index !== 'number')
      throw new EventFault('a chunk has a tool call of another form');
    const known = calls.get(index) ?? { id: undefined, name: undefined, written: '' };
    const written = called['arguments'] ?? '';
    if (typeof written !== 'string') throw new EventFault('a chunk has arguments that are no string');
    known.id ??= part['id'];
    known.name ??= called['name'];
    known.written += written;
    calls.set(index, known);
    if (calls.size > callsMax) throw new EventFault(`the stream has more than ${callsMax} tool calls`);
  }
}

function toCall({ id, name, written }: CallParts): unknown {
  return { id, type: 'function', function: { name, arguments: written } };
}

function parse(data: string): Readonly<Record<string, unknown>> {
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch {
    throw new EventFault('an event is not JSON');
  }
  if (!isRecord(chunk)) throw new EventFault('an event is no object');
  if (chunk['error'] !== undefined && chunk['error'] !== null)
    throw new EventFault('the upstream reported an error in its stream');
  return chunk;
}
