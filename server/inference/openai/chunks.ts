import type { InferenceTask } from '../engine.ts';
import { mayCall } from '../stream.ts';
import { isRecord, reportsError } from './completion.ts';
import { EventFault } from './events.ts';

/** The chunks of one stream, put together. */
export type Chunks = {
  /** Adds the data of an event. Returns the text that it adds. Throws an `EventFault` for a wrong chunk. */
  add(data: string): string;
  /** Ends the completion for its length, with the first units of its text and without the usage. */
  cut(units: number): void;
  /** Whether a chunk had a `finish_reason`. A stream that ends before is broken. */
  readonly isFinished: boolean;
  /** The completion as an unstreamed response has it, not yet checked. */
  assemble(): unknown;
  /** The same with nothing but the text: without calls and usage, and with a known reason for its end. */
  assembleText(): unknown;
};

type CallParts = { id: unknown; name: unknown; written: string };

/** More calls than any request has tools, so that an upstream cannot fill the memory with empty ones. */
const callsMax = 1_024;

/** The known reasons for the end of a text that is not whole. */
const cutReasons: ReadonlySet<unknown> = new Set(['length', 'content_filter']);

/**
 * Puts the chunks of a completion together. It requires the types that it needs for that; the check of the whole
 * completion follows. It accepts known deviations: null or no `finish_reason`, `usage` in several chunks, calls
 * without an index, and chunks without choices. It does not read calls of a model that was offered no tool.
 */
export function createChunks(task: InferenceTask): Chunks {
  const { kind } = task;
  const readsCalls = mayCall(task);
  let content: string | null = null;
  const calls = new Map<number, CallParts>();
  let unreadCalls: unknown;
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
      content = (content ?? '').slice(0, units);
      finishReason = 'length';
      usage = undefined;
    },
    get isFinished() {
      return finishReason !== null;
    },
    assemble() {
      const written = [...calls].sort(([one], [other]) => one - other).map(([, parts]) => toCall(parts));
      return compose(finishReason, usage, written.length > 0 ? written : unreadCalls);
    },
    assembleText: () => compose(cutReasons.has(finishReason) ? finishReason : 'stop'),
  };

  function compose(finish_reason: unknown, usage?: unknown, tool_calls?: unknown): unknown {
    const identity = { id: '', created: 0, model: '', usage };
    const ended = { index: 0, finish_reason };
    if (kind === 'text')
      return { ...identity, object: 'text_completion', choices: [{ ...ended, text: content ?? '' }] };
    const message = { role: 'assistant', content, ...(tool_calls !== undefined && { tool_calls }) };
    return { ...identity, object: 'chat.completion', choices: [{ ...ended, message }] };
  }

  function addText(text: unknown): string {
    if (text === undefined || text === null) return '';
    if (typeof text !== 'string') throw new EventFault('a chunk has a text that is no string');
    content = (content ?? '') + text;
    return text;
  }

  function addDelta(delta: unknown): string {
    if (!isRecord(delta)) throw new EventFault('a chunk has a delta that is no object');
    addCalls(delta['tool_calls'] ?? []);
    return addText(delta['content']);
  }

  function addCalls(parts: unknown): void {
    if (Array.isArray(parts) && parts.length === 0) return;
    if (!readsCalls) unreadCalls = parts;
    else if (!Array.isArray(parts)) throw new EventFault('a chunk has tool calls that are no list');
    else for (const part of parts) addCall(part);
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
  if (reportsError(chunk)) throw new EventFault('the upstream reported an error in its stream');
  return chunk;
}
