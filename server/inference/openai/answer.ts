import type { ChatCompletion, TextCompletion, Usage } from '@paid-inference/contract/types';
import * as validators from '@paid-inference/contract/validators';
import { fail, ok, type Result } from '../../types/result.ts';
import type {
  ChatInference,
  ChatTask,
  Inference,
  InferenceTask,
  TextInference,
  TextTask,
} from '../engine.ts';
import { cutAtStop } from '../finish.ts';
import { countTokens } from '../tokens.ts';
import { countPromptTokens, countToolCallTokens, usageOf } from '../usage.ts';

/**
 * Reads the body of a 2xx answer. It counts only if it is a whole completion as the contract says it, since only that
 * is charged for; fields beyond the contract are dropped, and half surrogates, which have no canonical form, replaced. A fault says which rule was broken, never what was said:
 * the text goes to the log. Throws the signal's reason once it is aborted.
 */
export async function readAnswer(
  task: InferenceTask,
  text: string,
  signal: AbortSignal,
): Promise<Result<Inference, string>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fail('the answer is not JSON');
  }
  const { answer, isUsageGiven } = tolerated(json);
  if (task.kind === 'chat') {
    if (!validators.ChatCompletion(answer)) return fail(ruleBroken(validators.ChatCompletion.errors));
    return readChat(task, answer, isUsageGiven, signal);
  }
  if (!validators.TextCompletion(answer)) return fail(ruleBroken(validators.TextCompletion.errors));
  return readText(task, answer, isUsageGiven, signal);
}

async function readText(
  task: TextTask,
  { choices: [choice], usage }: TextCompletion,
  isUsageGiven: boolean,
  signal: AbortSignal,
): Promise<Result<TextInference, string>> {
  if (choice === undefined) return fail('the answer has no choices');
  const counted = isUsageGiven ? null : await countTokens([choice.text], signal);
  const used = await readUsage(task, counted ?? usage, signal);
  if (!used.ok) return used;
  const beforeStop = cutAtStop(choice.text, task.stop);
  const text = (beforeStop ?? choice.text).toWellFormed();
  const finishReason = beforeStop === null ? choice.finish_reason : 'stop';
  return ok({ kind: 'text', text, finishReason, usage: used.value });
}

async function readChat(
  task: ChatTask,
  { choices: [choice], usage }: ChatCompletion,
  isUsageGiven: boolean,
  signal: AbortSignal,
): Promise<Result<ChatInference, string>> {
  if (choice === undefined) return fail('the answer has no choices');
  const { content, tool_calls: calls = [] } = choice.message;
  if (content === null && calls.length === 0) return fail('the answer has neither text nor tool calls');
  const offered = new Set(
    task.toolChoice.mode === 'none' ? [] : task.tools.map((tool) => tool.function.name),
  );
  if (calls.some((call) => !offered.has(call.function.name)))
    return fail('a tool is called that was not offered');
  if (!calls.every((call) => isJson(call.function.arguments)))
    return fail('the arguments of a call are not JSON');

  const counted = isUsageGiven
    ? null
    : (await countTokens([content ?? ''], signal)) + (await countToolCallTokens(calls, signal));
  const used = await readUsage(task, counted ?? usage, signal);
  if (!used.ok) return used;
  const beforeStop = content === null ? null : cutAtStop(content, task.stop);
  const toolCalls = calls.map(({ id, function: { name, arguments: written } }) => ({
    id: id.toWellFormed(),
    type: 'function' as const,
    function: { name, arguments: written.toWellFormed() },
  }));
  return ok({
    kind: 'chat',
    message: {
      role: 'assistant',
      content: (beforeStop ?? content)?.toWellFormed() ?? null,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    finishReason: beforeStop === null || calls.length > 0 ? choice.finish_reason : 'stop',
    usage: used.value,
  });
}

/** Two tokenizers may differ by this factor on one text; beyond it an answer without usage is over `max_tokens`. */
const tokenizersDifferBy = 2;

/**
 * The usage that the upstream counted, with a sum that is one; or, given the tokens that were counted here, a usage
 * with the prompt counted here too. An answer over `max_tokens` is not the one that was paid for.
 */
async function readUsage(
  task: InferenceTask,
  given: Usage | number,
  signal: AbortSignal,
): Promise<Result<Usage, string>> {
  if (typeof given !== 'number') {
    const { prompt_tokens: prompt, completion_tokens: completion } = given;
    if (completion > task.maxTokens) return fail('the answer is longer than max_tokens');
    return ok(usageOf(prompt, completion));
  }
  if (given > task.maxTokens * tokenizersDifferBy) return fail('the answer is longer than max_tokens');
  return ok(usageOf(await countPromptTokens(task, signal), Math.min(given, task.maxTokens)));
}

/** What OpenAI-compatible servers are known to leave out or to say otherwise: no usage, and null for no calls. */
function tolerated(json: unknown): { readonly answer: unknown; readonly isUsageGiven: boolean } {
  if (!isRecord(json)) return { answer: json, isUsageGiven: true };
  const isUsageGiven = json['usage'] !== undefined && json['usage'] !== null;
  const choices = Array.isArray(json['choices']) ? json['choices'].map(withoutEmptyCalls) : json['choices'];
  return { answer: { ...json, choices, usage: isUsageGiven ? json['usage'] : usageOf(0, 0) }, isUsageGiven };
}

function withoutEmptyCalls(choice: unknown): unknown {
  if (!isRecord(choice) || !isRecord(choice['message'])) return choice;
  const { tool_calls: calls, ...message } = choice['message'];
  const hasCalls = calls !== undefined && calls !== null && !(Array.isArray(calls) && calls.length === 0);
  return hasCalls ? choice : { ...choice, message };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Place and rule only; a message of the validator may hold what was said. */
function ruleBroken(errors: readonly validators.ValidationError[] | null | undefined): string {
  const [first] = errors ?? [];
  return `the answer breaks the contract at ${first?.instancePath || 'its top'} (${first?.keyword})`;
}
