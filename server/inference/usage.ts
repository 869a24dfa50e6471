import type { ToolCall, Usage } from '@paid-inference/contract/types';
import type { ChatTask, InferenceTask } from './engine.ts';
import { countTokens } from './tokens.ts';

/** The tokens of a chat template around each message: two marks and the role. */
const tokensPerMessage = 3;
/** The mark between a name and the role. */
const tokensPerName = 1;
/** The beginning of the completion, which the template writes for the model. */
const tokensOfCompletionStart = 3;
/** The tokens around the name and the arguments of a call. */
const tokensPerToolCall = 3;

/**
 * Counts the tokens of the input. For a prompt: its own. For a chat: those of every content, name, call and
 * call id, of tools and schema as JSON, and of the template's marks. Throws the signal's reason once it is aborted.
 */
export async function countPromptTokens(task: InferenceTask, signal: AbortSignal): Promise<number> {
  if (task.kind === 'text') return countTokens([task.prompt], signal);
  const { texts, marks } = listChatParts(task);
  return marks + (await countTokens(texts, signal));
}

/** Counts the tokens of generated calls. */
export async function countToolCallTokens(calls: readonly ToolCall[], signal: AbortSignal): Promise<number> {
  return calls.length * tokensPerToolCall + (await countTokens(calls.flatMap(listCallTexts), signal));
}

export function sumUsage(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function listChatParts(task: ChatTask): { readonly texts: readonly string[]; readonly marks: number } {
  const texts: string[] = [];
  let marks = tokensOfCompletionStart;
  for (const message of task.messages) {
    marks += tokensPerMessage;
    texts.push(message.content ?? '');
    if (message.name !== undefined) {
      marks += tokensPerName;
      texts.push(message.name);
    }
    if (message.role === 'tool') texts.push(message.tool_call_id);
    const calls = (message.role === 'assistant' && message.tool_calls) || [];
    marks += calls.length * tokensPerToolCall;
    texts.push(...calls.flatMap((call) => [call.id, ...listCallTexts(call)]));
  }
  if (task.tools.length > 0) texts.push(JSON.stringify(task.tools));
  const { json_schema: schema } = task.fields.response_format ?? {};
  if (schema !== undefined) texts.push(JSON.stringify(schema));
  return { texts, marks };
}

function listCallTexts(call: ToolCall): readonly string[] {
  return [call.function.name, call.function.arguments];
}
