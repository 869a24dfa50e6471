import type { EngineField, EngineFields, InferenceTask } from '../engine.ts';

/** Every field. Servers that do not know one return an error, which costs the client nothing. */
export const openAiFields: readonly EngineField[] = [
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'user',
  'metadata',
  'response_format',
  'parallel_tool_calls',
];

/** The path below the upstream's base URL, and the body. */
export type UpstreamRequest = { readonly path: string; readonly body: string };

/**
 * Writes a task in the OpenAI interface. Each field is written out here, so that no unknown field of a client's
 * body can reach the upstream (D-09). The upstream's model name replaces ours.
 */
export function upstreamRequest(task: InferenceTask, model: string, isStreamed: boolean): UpstreamRequest {
  const { maxTokens, temperature, stop } = task;
  const sampling = {
    max_tokens: maxTokens,
    temperature,
    ...(stop.length > 0 && { stop }),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
    ...writeFields(task.fields),
  };
  if (task.kind === 'text') {
    return { path: '/completions', body: JSON.stringify({ model, prompt: task.prompt, ...sampling }) };
  }
  const tools =
    task.tools.length > 0
      ? { tools: task.tools.map(plainTool), tool_choice: writeToolChoice(task.toolChoice) }
      : {};
  const messages = task.messages.map(plainMessage);
  return { path: '/chat/completions', body: JSON.stringify({ model, messages, ...sampling, ...tools }) };
}

function writeFields({ response_format: format, ...fields }: EngineFields) {
  if (format === undefined) return fields;
  const { type, json_schema: described } = format;
  if (type !== 'json_schema' || described === undefined) return { ...fields, response_format: { type } };
  const { name, description, schema, strict } = described;
  return { ...fields, response_format: { type, json_schema: { name, description, schema, strict } } };
}

type ChatTask = Extract<InferenceTask, { kind: 'chat' }>;

function plainMessage(message: ChatTask['messages'][number]) {
  const { role, content } = message;
  const name = message.name === undefined ? {} : { name: message.name };
  switch (message.role) {
    case 'system':
    case 'user':
      return { role, content, ...name };
    case 'tool':
      return { role, content, ...name, tool_call_id: message.tool_call_id };
    case 'assistant': {
      const calls = message.tool_calls?.map(({ id, type, function: called }) => ({
        id,
        type,
        function: { name: called.name, arguments: called.arguments },
      }));
      return { role, content: content ?? null, ...name, ...(calls !== undefined && { tool_calls: calls }) };
    }
  }
}

/** The parameters are a JSON Schema of the client and pass unchanged. */
function plainTool({ type, function: { name, description, parameters } }: ChatTask['tools'][number]) {
  return {
    type,
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  };
}

function writeToolChoice(choice: ChatTask['toolChoice']) {
  return choice.mode === 'specific' ? { type: 'function', function: { name: choice.name } } : choice.mode;
}
