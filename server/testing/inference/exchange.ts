import type {
  ChatTask,
  Engine,
  InferenceDelta,
  InferenceLimits,
  InferenceStream,
  TextTask,
} from '../../inference/engine.ts';
import { createOpenAiEngine } from '../../inference/openai/openai-engine.ts';
import type { OpenAiEngineOptions } from '../../inference/openai/upstream-client.ts';
import { type Behaviour, events, openUpstream } from './fake-upstream.ts';

// For tests: tasks, completions, and one exchange with a fake upstream.

export const apiKey = 'key-that-must-not-be-told';
export const secretPrompt = 'prompt that must not be told';
export const secretCompletion = 'completion that must not be told';

export const lookTool = {
  type: 'function',
  function: { name: 'look', description: 'Looks around.', parameters: { type: 'object', properties: {} } },
} as const;

export function options(baseUrl: string, change: Partial<OpenAiEngineOptions> = {}): OpenAiEngineOptions {
  const bounds = {
    connectTimeoutMs: 2_000,
    headersTimeoutMs: 10_000,
    responseBytesMax: 65_536,
    eventBytesMax: 16_384,
    idleTimeoutMs: 10_000,
    connections: 4,
  };
  return { baseUrl, model: 'inner-model', apiKey, ...bounds, ...change };
}

export function limits(change: Partial<InferenceLimits> = {}): InferenceLimits {
  return { timeoutMs: 10_000, signal: new AbortController().signal, ...change };
}

type Change = Omit<Partial<OpenAiEngineOptions>, 'apiKey'> & { apiKey?: undefined };

export async function infer(baseUrl: string, task: ChatTask | TextTask, change: Change = {}, limit = {}) {
  const engine = createEngine(baseUrl, change);
  try {
    return await engine.infer(task, limits(limit));
  } finally {
    await engine.close();
  }
}

/** Takes all parts of a stream. */
export async function collect(stream: InferenceStream) {
  const deltas: InferenceDelta[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) return { deltas, result: next.value };
    deltas.push(next.value);
  }
}

/** Streams from an engine that shows text early, because its first stream was valid. */
export async function streamFrom(
  behaviour: Behaviour,
  task: ChatTask | TextTask,
  change: Change = {},
  limit = {},
) {
  await using upstream = await openUpstream(afterHello(behaviour));
  const engine = createEngine(upstream.baseUrl, change);
  try {
    await showEarly(engine);
    return await collect(engine.stream(task, limits(limit)));
  } finally {
    await engine.close();
  }
}

/** The conduct of an upstream whose first stream is a valid one. */
export function afterHello(behaviour: Behaviour): Behaviour {
  let requests = 0;
  return (...parameters) => (requests++ === 0 ? events(...helloChunks) : behaviour)(...parameters);
}

/** Takes the first stream of an engine, so that the engine shows the text of the next one early (D-272). */
export async function showEarly(engine: Engine): Promise<void> {
  const { result } = await collect(engine.stream(chat(), limits()));
  if (!result.ok) throw new Error(result.fault.detail);
}

function createEngine(baseUrl: string, change: Change) {
  const { apiKey: _, ...keyless } = options(baseUrl);
  const { apiKey: __, ...changed } = change;
  return createOpenAiEngine('apiKey' in change ? { ...keyless, ...changed } : options(baseUrl, changed));
}

export async function inferFrom(behaviour: Behaviour, task: ChatTask | TextTask) {
  await using upstream = await openUpstream(behaviour);
  return await infer(upstream.baseUrl, task);
}

export function chat(change: Partial<ChatTask> = {}): ChatTask {
  return {
    kind: 'chat',
    model: 'alder/alder-mini',
    messages: [{ role: 'user', content: secretPrompt }],
    maxTokens: 20,
    temperature: 1,
    stop: [],
    fields: {},
    tools: [],
    toolChoice: { mode: 'none' },
    ...change,
  };
}

export function text(change: Partial<TextTask> = {}): TextTask {
  const task = { kind: 'text', model: 'alder/alder-mini', prompt: secretPrompt } as const;
  return { ...task, maxTokens: 20, temperature: 1, stop: [], fields: {}, ...change };
}

export function usage(completionTokens: number) {
  return { prompt_tokens: 7, completion_tokens: completionTokens, total_tokens: 7 + completionTokens };
}

export function chatCompletion(message: Record<string, unknown>, choice: Record<string, unknown> = {}) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'inner-model',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
    usage: usage(3),
  };
}

export function textCompletion(completion: string) {
  return {
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1_700_000_000,
    model: 'inner-model',
    choices: [{ index: 0, text: completion, finish_reason: 'stop' }],
    usage: usage(3),
  };
}

/** A chunk of a streamed chat. */
export function chatChunk(delta: Record<string, unknown>, finishReason: string | null = null) {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'inner-model',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** A chunk of a streamed text. */
export function textChunk(written: string, finishReason: string | null = null) {
  const choices = [{ index: 0, text: written, finish_reason: finishReason }];
  return { ...textCompletion(''), choices, usage: null };
}

/** The last chunk of a stream, with the usage. */
export function usageChunk(completionTokens: number) {
  return { ...chatChunk({}), choices: [], usage: usage(completionTokens) };
}

/** The events of a streamed `Hello.`. */
export const helloChunks = [
  chatChunk({ role: 'assistant', content: '' }),
  chatChunk({ content: 'Hel' }),
  chatChunk({ content: 'lo.' }),
  chatChunk({}, 'stop'),
  usageChunk(3),
  '[DONE]',
];

/** A tool call, as a whole and in the parts of a stream. */
export const lookCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'look', arguments: '{"far":true}' },
};
export const lookCallParts = [
  { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } },
  { index: 0, function: { arguments: '{"far"' } },
  { index: 0, function: { arguments: ':true}' } },
];

export function typed(response: Parameters<Behaviour>[0], type = 'application/json') {
  return response.writeHead(200, { 'content-type': type });
}

/** Writes while the client reads. */
export function pour(response: Parameters<Behaviour>[0]): void {
  const block = 'x'.repeat(16_384);
  const write = () => {
    while (!response.destroyed && response.write(block));
  };
  response.on('drain', write);
  write();
}
