import type { InferenceTask } from '../inference/engine.ts';

/** Average bytes of a token, and what a message costs beside its text (D-16). */
const bytesPerToken = 4;
const tokensPerMessage = 4;

/**
 * Input tokens for the quote: a quarter of the UTF-8 bytes of everything that the model reads, rounded up, and four for
 * each message. Deliberately not a tokenizer: the price of a body must be the same for every engine, instance and
 * release, and cost microseconds (D-16).
 */
export function estimateInputTokens(task: InferenceTask): number {
  if (task.kind === 'text') return tokensOf(task.prompt);
  let tokens = task.tools.length > 0 ? tokensOf(JSON.stringify(task.tools)) : 0;
  for (const message of task.messages) {
    tokens += tokensPerMessage + tokensOf(message.content ?? '') + tokensOf(message.name ?? '');
    if (message.role === 'tool') tokens += tokensOf(message.tool_call_id);
    if (message.role === 'assistant')
      for (const call of message.tool_calls ?? []) tokens += tokensOf(JSON.stringify(call));
  }
  return tokens;
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}
