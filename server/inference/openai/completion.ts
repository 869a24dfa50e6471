import type { ChatCompletion, TextCompletion, Usage } from '@paid-inference/contract/types';
import * as validators from '@paid-inference/contract/validators';
import { fail, ok, type Result } from '../../types/result.ts';
import type {
  ChatInference,
  ChatTask,
  Inference,
  InferenceFault,
  InferenceTask,
  TextInference,
  TextTask,
} from '../engine.ts';
import { cutAtStop } from '../finish.ts';
import { countTokens } from '../tokens.ts';
import { countPromptTokens, countToolCallTokens, sumUsage } from '../usage.ts';

/**
 * Reads the body of a 2xx response. Only a whole completion that matches the contract is accepted, because only
 * that is charged. Drops fields that are not in the contract, and replaces half surrogates, which have no
 * canonical form. The fault names the broken rule, never the content, because it is logged. Throws the signal's
 * reason once it is aborted.
 */
export async function readCompletion(
  task: InferenceTask,
  text: string,
  signal: AbortSignal,
): Promise<Result<Inference, InferenceFault>> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return broken('the response is not JSON');
  }
  return checkCompletion(task, json, signal);
}

/** What the check knows besides the completion. */
type Known = {
  readonly isUsageGiven: boolean;
  /** The stream was cut at its length already, so the length is no fault. */
  readonly isShown: boolean;
};

/**
 * The same for a body that is parsed already, or was assembled from the chunks of a stream. `isShown`: a part of its
 * text was yielded.
 */
export async function checkCompletion(
  task: InferenceTask,
  json: unknown,
  signal: AbortSignal,
  isShown = false,
): Promise<Result<Inference, InferenceFault>> {
  if (reportsError(json)) return broken('the upstream reported an error in its response');
  const { completion, isUsageGiven } = tolerated(json);
  const known = { isUsageGiven, isShown };
  if (task.kind === 'chat') {
    if (!validators.ChatCompletion(completion)) return broken(ruleBroken(validators.ChatCompletion.errors));
    return readChat(task, completion, known, signal);
  }
  if (!validators.TextCompletion(completion)) return broken(ruleBroken(validators.TextCompletion.errors));
  return readText(task, completion, known, signal);
}

async function readText(
  task: TextTask,
  { choices: [choice], usage }: TextCompletion,
  { isUsageGiven, isShown }: Known,
  signal: AbortSignal,
): Promise<Result<TextInference, InferenceFault>> {
  if (choice === undefined) return broken('the response has no choices');
  const counted = isUsageGiven ? null : await countTokens([choice.text], signal);
  const used = await readUsage(task, counted ?? usage, isShown, signal);
  if (!used.ok) return used;
  const beforeStop = cutAtStop(choice.text, task.stop);
  const text = (beforeStop ?? choice.text).toWellFormed();
  const finishReason = beforeStop === null ? choice.finish_reason : 'stop';
  return ok({ kind: 'text', text, finishReason, usage: used.value });
}

async function readChat(
  task: ChatTask,
  { choices: [choice], usage }: ChatCompletion,
  { isUsageGiven, isShown }: Known,
  signal: AbortSignal,
): Promise<Result<ChatInference, InferenceFault>> {
  if (choice === undefined) return broken('the response has no choices');
  const { content, tool_calls: calls = [] } = choice.message;
  // Some servers name calls as the reason and send none. A client would wait for them.
  const ended = choice.finish_reason === 'tool_calls' && calls.length === 0 ? 'stop' : choice.finish_reason;
  if (content === null && calls.length === 0)
    return unsellable('the response has neither text nor tool calls');
  const offered = listCallable(task);
  if (calls.some((call) => !offered.has(call.function.name)))
    return unsellable('the response calls a tool that was not offered');
  if (!calls.every((call) => isJson(call.function.arguments)))
    return unsellable('the arguments of a tool call are not JSON');
  const { parallel_tool_calls: parallel, response_format: format } = task.fields;
  if (parallel === false && calls.length > 1) return unsellable('the response has more than one tool call');
  // A completion that ends for another reason may be cut off or be a refusal, and says so.
  const isWhole = ended === 'stop' && calls.length === 0 && task.stop.length === 0;
  if (format !== undefined && isWhole && !isJson(content ?? ''))
    return unsellable('the text of the response is not JSON');
  // Some servers ignore `tool_choice` if the template of the model has no tools.
  if (mustCall.has(task.toolChoice.mode) && isWhole)
    return unsellable('the response has no tool call, but the task requires one');

  const counted = isUsageGiven
    ? null
    : (await countTokens([content ?? ''], signal)) + (await countToolCallTokens(calls, signal));
  const used = await readUsage(task, counted ?? usage, isShown, signal);
  if (!used.ok) return used;
  const beforeStop = content === null ? null : cutAtStop(content, task.stop);
  const text = (beforeStop ?? content)?.toWellFormed() ?? null;
  const toolCalls = calls.map(({ id, function: { name, arguments: written } }) => ({
    id: id.toWellFormed(),
    type: 'function' as const,
    function: { name, arguments: written.toWellFormed() },
  }));
  return ok({
    kind: 'chat',
    message: {
      role: 'assistant',
      // Some servers send an empty text with calls. Contract §2.6: null when tool calls are returned.
      content: text === '' && calls.length > 0 ? null : text,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    },
    finishReason: beforeStop === null || calls.length > 0 ? ended : 'stop',
    usage: used.value,
  });
}

/** A response that no request asks for. Some servers return one to an unusual request. */
function broken(detail: string): Result<never, InferenceFault> {
  return fail({ kind: 'failed', detail, mayBeOfRequest: true });
}

/** A completion that a client may provoke with its request. */
function unsellable(detail: string): Result<never, InferenceFault> {
  return fail({ kind: 'failed', detail, isOfRequest: true });
}

const mustCall: ReadonlySet<ChatTask['toolChoice']['mode']> = new Set(['required', 'specific']);

/** The names of the tools that the completion may call. */
function listCallable({ tools, toolChoice }: ChatTask): ReadonlySet<string> {
  if (toolChoice.mode === 'none') return new Set();
  return new Set(
    toolChoice.mode === 'specific' ? [toolChoice.name] : tools.map((tool) => tool.function.name),
  );
}

/**
 * How far the counts of two tokenizers may differ. A response without usage may exceed `max_tokens` by this
 * factor.
 */
export const tokenizersDifferBy = 2;

const tooLong = 'the completion is longer than max_tokens';

/**
 * Returns the upstream's usage with a correct sum, or builds it from the completion tokens that were counted
 * here. A response over `max_tokens` is a fault, because the payer did not pay for it.
 */
async function readUsage(
  task: InferenceTask,
  given: Usage | number,
  isShown: boolean,
  signal: AbortSignal,
): Promise<Result<Usage, InferenceFault>> {
  if (typeof given !== 'number') {
    const { prompt_tokens: prompt, completion_tokens: completion } = given;
    if (completion > task.maxTokens && !isShown) return unsellable(tooLong);
    return ok(sumUsage(prompt, Math.min(completion, task.maxTokens)));
  }
  if (given > task.maxTokens * tokenizersDifferBy && !isShown) return unsellable(tooLong);
  return ok(sumUsage(await countPromptTokens(task, signal), Math.min(given, task.maxTokens)));
}

/** Normalises known deviations of OpenAI-compatible servers: no usage, and null for no calls. */
function tolerated(json: unknown): { readonly completion: unknown; readonly isUsageGiven: boolean } {
  if (!isRecord(json)) return { completion: json, isUsageGiven: true };
  const isUsageGiven = json['usage'] !== undefined && json['usage'] !== null;
  const choices = Array.isArray(json['choices']) ? json['choices'].map(withoutEmptyCalls) : json['choices'];
  return {
    completion: { ...json, choices, usage: isUsageGiven ? json['usage'] : sumUsage(0, 0) },
    isUsageGiven,
  };
}

function withoutEmptyCalls(choice: unknown): unknown {
  if (!isRecord(choice) || !isRecord(choice['message'])) return choice;
  const { tool_calls: calls, ...message } = choice['message'];
  const hasCalls = calls !== undefined && calls !== null && !(Array.isArray(calls) && calls.length === 0);
  return hasCalls ? choice : { ...choice, message };
}

/**
 * Whether a body, or a chunk, reports an error in place of a completion. Some routers report the error of the server
 * behind them in the choice (D-22).
 */
export function reportsError(json: unknown): boolean {
  if (!isRecord(json)) return false;
  const choices: readonly unknown[] = Array.isArray(json['choices']) ? json['choices'] : [];
  const hasError = (part: unknown) => isRecord(part) && (part['error'] ?? null) !== null;
  return (
    [json, ...choices].some(hasError) ||
    choices.some((each) => isRecord(each) && each['finish_reason'] === 'error')
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
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

/** Names only place and rule: the validator's message may contain the response. */
function ruleBroken(errors: readonly validators.ValidationError[] | null | undefined): string {
  const [first] = errors ?? [];
  return `the response breaks the contract at ${first?.instancePath || 'its top'} (${first?.keyword})`;
}
