import type { ChatTask, TextTask } from '../../inference/engine.ts';
import { createOpenAiEngine, type OpenAiEngineOptions } from '../../inference/openai/openai-engine.ts';
import { type Behaviour, openUpstream } from './fake-upstream.ts';

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
    connections: 4,
  };
  return { baseUrl, model: 'inner-model', apiKey, ...bounds, ...change };
}

export function limits(change: { timeoutMs?: number; signal?: AbortSignal } = {}) {
  return { timeoutMs: 10_000, signal: new AbortController().signal, ...change };
}

type Change = Omit<Partial<OpenAiEngineOptions>, 'apiKey'> & { apiKey?: undefined };

export async function infer(baseUrl: string, task: ChatTask | TextTask, change: Change = {}, limit = {}) {
  const { apiKey: _, ...keyless } = options(baseUrl);
  const { apiKey: __, ...changed } = change;
  const engine = createOpenAiEngine(
    'apiKey' in change ? { ...keyless, ...changed } : options(baseUrl, changed),
  );
  try {
    return await engine.infer(task, limits(limit));
  } finally {
    await engine.close();
  }
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
