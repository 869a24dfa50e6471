import { defaults } from '@paid-inference/contract/constants';
import type {
  ChatCompletionRequest,
  CompletionRequest,
  Stop,
  ToolChoice,
} from '@paid-inference/contract/types';
import type { InvalidRequest } from '../http/param.ts';
import type { ChatTask, InferenceTask, TaskToolChoice, TextTask } from '../inference/engine.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { readChatFields, readTextFields } from './engine-fields.ts';
import { estimateInputTokens } from './price.ts';

/** Limits of a request that the contract leaves to the deployment (D-12, D-14). */
export type TaskLimits = { readonly messagesMax: number; readonly toolsMax: number };

/** The limits in a catalog entry. */
export type ModelLimits = { readonly contextLength: number; readonly maxOutputTokens: number };

type CompletionFields = Pick<CompletionRequest, 'max_tokens' | 'max_completion_tokens'>;

/** Finds a model in the catalog. */
export type FindModel = (id: string) => ModelLimits | undefined;

/** Applies the defaults, and the rules that a schema cannot express. A fault becomes 400 with a `param`. */
export function chatTask(
  body: ChatCompletionRequest,
  findModel: FindModel,
  limits: TaskLimits,
): Result<ChatTask, InvalidRequest> {
  const tooMany = overLimit('messages', body.messages.length, limits.messagesMax);
  if (tooMany) return fail(tooMany);
  const tools = body.tools ?? [];
  const tooManyTools = overLimit('tools', tools.length, limits.toolsMax);
  if (tooManyTools) return fail(tooManyTools);
  const choice = resolveToolChoice(
    body.tool_choice,
    tools.map((tool) => tool.function.name),
  );
  if (!choice.ok) return choice;
  const tokens = readMaxTokens(body, defaults.ChatCompletionRequest.max_tokens);
  if (!tokens.ok) return tokens;
  const { response_format: format } = body;
  if (format?.type === 'json_schema' && format.json_schema === undefined) {
    const param = 'response_format.json_schema';
    return fail({ param, message: `${param} is required for the type json_schema.` });
  }
  return fits(
    {
      kind: 'chat',
      model: body.model,
      messages: body.messages,
      maxTokens: tokens.value.count,
      temperature: body.temperature ?? defaults.ChatCompletionRequest.temperature,
      stop: stopSequences(body.stop),
      tools,
      toolChoice: choice.value,
      fields: readChatFields(body),
    },
    findModel,
    tokens.value.param,
  );
}

/** The same for a text request. */
export function textTask(body: CompletionRequest, findModel: FindModel): Result<TextTask, InvalidRequest> {
  const tokens = readMaxTokens(body, defaults.CompletionRequest.max_tokens);
  if (!tokens.ok) return tokens;
  return fits(
    {
      kind: 'text',
      model: body.model,
      prompt: body.prompt,
      maxTokens: tokens.value.count,
      temperature: body.temperature ?? defaults.CompletionRequest.temperature,
      stop: stopSequences(body.stop),
      fields: readTextFields(body),
    },
    findModel,
    tokens.value.param,
  );
}

type MaxTokens = { readonly count: number; readonly param: string };

/** Newer clients send `max_completion_tokens` for `max_tokens` (D-264). */
function readMaxTokens(
  { max_tokens: count, max_completion_tokens: newer }: CompletionFields,
  countDefault: number,
): Result<MaxTokens, InvalidRequest> {
  if (newer === undefined) return ok({ count: count ?? countDefault, param: 'max_tokens' });
  const param = 'max_completion_tokens';
  if (count === undefined || count === newer) return ok({ count: newer, param });
  return fail({ param, message: `${param} and max_tokens differ; send one of them.` });
}

/** Checks that the catalog has the model, and that input and output fit into it (D-06, D-12). */
function fits<Task extends InferenceTask>(
  task: Task,
  findModel: FindModel,
  tokensParam: string,
): Result<Task, InvalidRequest> {
  const model = findModel(task.model);
  if (model === undefined) {
    return fail({ param: 'model', message: 'model is not in the catalog; GET /v1/models lists all models.' });
  }
  if (task.maxTokens > model.maxOutputTokens) {
    const message = `${tokensParam} must be at most ${model.maxOutputTokens} for this model.`;
    return fail({ param: tokensParam, message });
  }
  const inputTokens = estimateInputTokens(task);
  if (inputTokens + task.maxTokens > model.contextLength) {
    const param = task.kind === 'chat' ? 'messages' : 'prompt';
    const message = `${param} (about ${inputTokens} tokens) and ${tokensParam} (${task.maxTokens}) exceed the model's context of ${model.contextLength} tokens.`;
    return fail({ param, message });
  }
  return ok(task);
}

function overLimit(param: string, count: number, max: number): InvalidRequest | null {
  return count <= max
    ? null
    : { param, message: `${param} must have at most ${max} items; it has ${count}.` };
}

/** A single string is one sequence (D-10). An empty sequence would match everywhere, so it is ignored. */
function stopSequences(stop: Stop | undefined): readonly string[] {
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  return sequences.filter((sequence) => sequence !== '');
}

/** The number of names that an error lists; a request may have thousands. */
const namesMax = 10;

function named(names: readonly string[]): string {
  const more = names.length - namesMax;
  return `${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Accepts `auto`, `none`, `required`, a tool's name, or the object form. A name must be in `tools` (D-11). */
function resolveToolChoice(
  choice: ToolChoice | undefined,
  names: readonly string[],
): Result<TaskToolChoice, InvalidRequest> {
  if (choice === undefined) return ok({ mode: names.length > 0 ? 'auto' : 'none' });
  const name = typeof choice === 'string' ? choice : choice.function.name;
  const isMode = typeof choice === 'string' && !names.includes(name);
  if (isMode && (name === 'auto' || name === 'none')) return ok({ mode: name });
  if (isMode && name === 'required' && names.length > 0) return ok({ mode: 'required' });
  if (names.includes(name)) return ok({ mode: 'specific', name });
  const known =
    names.length > 0
      ? `auto, none, required, or one of ${named(names)}`
      : 'auto or none, because the request has no tools';
  return fail({ param: 'tool_choice', message: `tool_choice must be ${known}.` });
}
