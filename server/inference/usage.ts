import type { ToolCall, Usage } from '@paid-inference/contract/types';
import type { ChatTask, InferenceTask } from './engine.ts';
import { countTokens } from './tokens.ts';

/** What a chat template puts around each message: two marks and the role. */
const tokensPerMessage = 3;
/** The mark that parts a name from the role. */
const tokensPerName = 1;
/** The beginning of the answer, which the template writes for the model. */
const tokensOfAnswerStart = 3;
/** What stands around the name and the arguments of a call. */
const tokensPerToolCall = 3;

/**
 * Tokens of the input. For a prompt: its own. For a chat: of every content, name, call and call id, of the tools as
 * JSON, and the marks of the template around them. Throws the signal's reason once it is aborted.
 */
export async function countPromptTokens(task: InferenceTask, signal: AbortSignal): Promise<number> {
  if (task.kind === 'text') return countTokens([task.prompt], signal);
  const { texts, marks } = partsOfChat(task);
  return marks + (await countTokens(texts, signal));
}

/** Tokens of calls that were generated. */
export async function countToolCallTokens(calls: readonly ToolCall[], signal: AbortSignal): Promise<number> {
  return calls.length * tokensPerToolCall + (await countTokens(calls.flatMap(textsOfCall), signal));
}

export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

function partsOfChat(task: ChatTask): { readonly texts: readonly string[]; readonly marks: number } {
  const texts: string[] = [];
  let marks = tokensOfAnswerStart;
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
    texts.push(...calls.flatMap((call) => [call.id, ...textsOfCall(call)]));
  }
  if (task.tools.length > 0) texts.push(JSON.stringify(task.tools));
  return { texts, marks };
}

function textsOfCall(call: ToolCall): readonly string[] {
  return [call.function.name, call.function.arguments];
}
