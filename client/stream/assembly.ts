import type {
  ChatCompletion,
  ChatCompletionChunk,
  TextCompletion,
  TextCompletionChunk,
} from '@paid-inference/contract/types';
import * as valid from '@paid-inference/contract/validators';

/** The chunks of one stream, put together. */
export type Assembly<Chunk> = Written & {
  /** The id of the completion; null before the first chunk. */
  readonly id: string | null;
  /** Whether the reason of the end came, and so all of the text. */
  readonly isFinished: boolean;
  add(chunk: Chunk): void;
  /** The completion as an unstreamed response has it, not yet checked. */
  assemble(): unknown;
  /**
   * The part of this completion that follows after an earlier stream of it. Null if the earlier stream is not its
   * beginning.
   */
  chunkAfter(earlier: Written): Chunk | null;
};

type CallParts = {
  id?: string | undefined;
  type?: 'function' | undefined;
  name?: string | undefined;
  arguments: string;
};

/** The text and the calls so far. */
type Written = { readonly text: string; readonly calls: ReadonlyMap<number, CallParts> };

/** The difference between the two endpoints. */
export type StreamForm<Chunk, Completion> = {
  readonly isChunk: valid.Validate<Chunk>;
  readonly isCompletion: valid.Validate<Completion>;
  readonly expected: string;
  createAssembly(): Assembly<Chunk>;
  /** A whole completion as one chunk. */
  toChunk(completion: Completion): Chunk;
};

export const chatForm: StreamForm<ChatCompletionChunk, ChatCompletion> = {
  isChunk: valid.ChatCompletionChunk,
  isCompletion: valid.ChatCompletion,
  expected: 'a chat completion',
  createAssembly: createChatAssembly,
  toChunk: ({ choices, ...completion }) => ({
    ...completion,
    object: 'chat.completion.chunk',
    choices: choices.slice(0, 1).map(({ message: { role, content, tool_calls: calls }, ...choice }) => ({
      ...choice,
      delta: {
        role,
        content,
        ...(calls !== undefined && { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
      },
    })),
  }),
};

export const textForm: StreamForm<TextCompletionChunk, TextCompletion> = {
  isChunk: valid.TextCompletionChunk,
  isCompletion: valid.TextCompletion,
  expected: 'a text completion',
  createAssembly: createTextAssembly,
  toChunk: ({ choices, ...completion }) => ({ ...completion, choices: choices.slice(0, 1) }),
};

/**
 * The part of a whole completion that follows after a stream of it. Null if the stream is of another completion.
 */
export function restOf<Chunk extends { readonly id: string }, Completion>(
  { createAssembly, toChunk }: StreamForm<Chunk, Completion>,
  completion: Completion,
  earlier: Assembly<Chunk>,
): Chunk | null {
  const chunk = toChunk(completion);
  if (earlier.id === null) return chunk;
  if (earlier.id !== chunk.id) return null;
  const whole = createAssembly();
  whole.add(chunk);
  return whole.chunkAfter(earlier);
}

type ChatDelta = ChatCompletionChunk['choices'][number]['delta'];
type Head = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

function createChatAssembly(): Assembly<ChatCompletionChunk> {
  let last: ChatCompletionChunk | undefined;
  let content: string | null = null;
  const calls = new Map<number, CallParts>();
  const end = createEnd();
  return {
    get id() {
      return last?.id ?? null;
    },
    get isFinished() {
      return end.finishReason !== null;
    },
    get text() {
      return content ?? '';
    },
    calls,
    add(chunk) {
      last = chunk;
      end.add(chunk);
      for (const { delta } of chunk.choices) {
        if (typeof delta.content === 'string') content = (content ?? '') + delta.content;
        for (const part of delta.tool_calls ?? []) {
          const { index, id, type, function: called = {} } = part;
          const known = calls.get(index) ?? { arguments: '' };
          known.id ??= id;
          known.type ??= type;
          known.name ??= called.name;
          known.arguments += called.arguments ?? '';
          calls.set(index, known);
        }
      }
    },
    assemble() {
      const message = {
        role: 'assistant',
        content,
        ...(calls.size > 0 && { tool_calls: listCalls(calls).map(([, parts]) => toCall(parts)) }),
      };
      return {
        ...head(last),
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: end.finishReason }],
        usage: end.usage,
      };
    },
    chunkAfter(earlier) {
      const text = content ?? '';
      if (last === undefined || !isBeginning(earlier, { text, calls })) return null;
      const rest = text.slice(earlier.text.length);
      const tool_calls = listCalls(calls).flatMap(([index, parts]) => restOfCall(index, parts, earlier));
      const delta: ChatDelta = {
        ...(rest !== '' && { content: rest }),
        ...(tool_calls.length > 0 && { tool_calls }),
      };
      return { ...last, choices: [{ index: 0, delta, finish_reason: end.finishReason }] };
    },
  };
}

function listCalls(calls: Written['calls']): readonly (readonly [number, CallParts])[] {
  return [...calls].sort(([one], [other]) => one - other);
}

function toCall({ id, type, name, arguments: written }: CallParts): object {
  return { id, type, function: { name, arguments: written } };
}

function restOfCall(
  index: number,
  parts: CallParts,
  { calls }: Written,
): NonNullable<ChatDelta['tool_calls']> {
  const begun = calls.get(index);
  if (begun === undefined) return [{ index, ...toCall(parts) }];
  const rest = parts.arguments.slice(begun.arguments.length);
  return rest === '' ? [] : [{ index, function: { arguments: rest } }];
}

function isBeginning(earlier: Written, whole: Written): boolean {
  const isCallBegun = ([index, { arguments: written }]: [number, CallParts]) =>
    whole.calls.get(index)?.arguments.startsWith(written) ?? false;
  return whole.text.startsWith(earlier.text) && [...earlier.calls].every(isCallBegun);
}

/** A text completion has none. */
const noCalls: Written['calls'] = new Map();

function createTextAssembly(): Assembly<TextCompletionChunk> {
  let last: TextCompletionChunk | undefined;
  let text = '';
  const end = createEnd();
  return {
    get id() {
      return last?.id ?? null;
    },
    get isFinished() {
      return end.finishReason !== null;
    },
    get text() {
      return text;
    },
    calls: noCalls,
    add(chunk) {
      last = chunk;
      end.add(chunk);
      for (const choice of chunk.choices) text += choice.text;
    },
    assemble() {
      const choice = { index: 0, text, finish_reason: end.finishReason };
      return { ...head(last), object: 'text_completion', choices: [choice], usage: end.usage };
    },
    chunkAfter(earlier) {
      if (last === undefined || !text.startsWith(earlier.text)) return null;
      const rest = text.slice(earlier.text.length);
      return { ...last, choices: [{ index: 0, text: rest, finish_reason: end.finishReason }] };
    },
  };
}

function head(chunk: Head | undefined): Partial<Head> {
  if (chunk === undefined) return {};
  const { id, created, model } = chunk;
  return { id, created, model };
}

/** Reason and usage, which come at the end of a stream. */
function createEnd() {
  let finishReason: string | null = null;
  let usage: ChatCompletionChunk['usage'];
  return {
    get finishReason() {
      return finishReason;
    },
    get usage() {
      return usage;
    },
    add(
      chunk: Pick<ChatCompletionChunk, 'usage'> & {
        readonly choices: readonly { readonly finish_reason: string | null }[];
      },
    ) {
      usage = chunk.usage ?? usage;
      for (const choice of chunk.choices) finishReason = choice.finish_reason ?? finishReason;
    },
  };
}
