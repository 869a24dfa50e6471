import { fail, ok, type Result } from '../../types/result.ts';
import type {
  ChatInference,
  ChatTask,
  Inference,
  InferenceFault,
  InferenceTask,
  TextTask,
} from '../engine.ts';
import { cutAtStop } from '../finish.ts';
import { mayCall } from '../stream.ts';
import { sumUsage } from '../usage.ts';
import { type ChatPrompt, writeChatPrompt } from './chat-prompt.ts';
import type { GenerationOptions } from './generate.ts';
import type { LlamaGrammar, LlamaSequence, Token } from './library.ts';
import type { LoadedModel } from './load-model.ts';
import { chooseSampling } from './sampling.ts';
import { type Form, listForms, readCall, writeTaskGrammar } from './task-grammar.ts';
import { type TextOptions, type TokenMeter, type WrittenText, writeText } from './write-text.ts';

/** Yields the text that is certainly in the completion. */
export type Completion = AsyncGenerator<string, Result<Inference, InferenceFault>, void>;

/** One run of a task. */
export type Run = {
  readonly loaded: LoadedModel;
  readonly sequence: LlamaSequence;
  readonly meter: TokenMeter;
  readonly signal: AbortSignal;
};

/** Runs a task on a loaded model. Throws the reason of the signal between two steps of the model. */
export function completeTask(task: InferenceTask, run: Run): Completion {
  return task.kind === 'text' ? completeText(task, run) : completeChat(task, run);
}

async function* completeText(task: TextTask, run: Run): Completion {
  const { model } = run.loaded;
  const { bos, shouldPrependBosToken } = model.tokens;
  // A model cannot continue nothing.
  const start = (shouldPrependBosToken || task.prompt === '') && bos !== null ? [bos] : [];
  const tokens = [...start, ...model.tokenize(task.prompt)];
  const excess = describeExcess(task, tokens, run);
  if (excess !== null) return failed(excess);
  const { text, finishReason, written } = yield* write(task, run, { tokens, stop: task.stop });
  return ok({ kind: 'text', text, finishReason, usage: sumUsage(tokens.length, written.length) });
}

async function* completeChat(task: ChatTask, run: Run): Completion {
  const { chat, model } = run.loaded;
  let prompt: ChatPrompt;
  try {
    prompt = writeChatPrompt(task, chat, model);
  } catch {
    // The message of a template may contain the prompt.
    return failed('the chat template of the model cannot write these messages');
  }
  const { tokens, beforeText, beforeForm } = prompt;
  const excess = describeExcess(task, [...tokens, ...beforeText, ...beforeForm], run);
  if (excess !== null) return failed(excess);
  const forms = listForms(task, chat.call.prefix);
  return yield* forms.length === 0
    ? completeFreely(task, prompt, run)
    : completeForms(task, prompt, forms, run);
}

/** Writes a completion that must have one of the forms. */
async function* completeForms(
  task: ChatTask,
  prompt: ChatPrompt,
  forms: readonly Form[],
  run: Run,
): Completion {
  const { chat } = run.loaded;
  const grammar = await openGrammar(forms, run);
  if (!grammar.ok) return grammar;
  const tokens = [...prompt.tokens, ...prompt.beforeForm];
  const hasCalls = forms.some(({ kind }) => kind === 'call');
  const stop = hasCalls ? [] : task.stop;
  const { prefix } = chat.call;
  // A grammar takes control tokens for their text.
  const form = yield* write(task, run, { ...grammar.value, tokens, stop, showsControls: true });
  const usage = sumUsage(tokens.length, form.written.length);
  if (hasCalls && form.whole.startsWith(prefix))
    return finishCall(task, '', form.whole.slice(prefix.length), { ...form, usage }, run);
  // Half a prefix is no text for the client.
  if (forms.every(({ kind }) => kind === 'call')) return ok(inText('', { ...form, usage }));
  const beforeStop = cutAtStop(form.whole, task.stop);
  const finishReason = beforeStop === null ? form.finishReason : 'stop';
  return ok(inText(beforeStop ?? form.whole, { finishReason, usage }));
}

/** Writes a text. If the model begins a call, a grammar writes the rest of it. */
async function* completeFreely(task: ChatTask, prompt: ChatPrompt, run: Run): Completion {
  const { chat } = run.loaded;
  const { trigger } = chat.call;
  const { endTokens, endTexts } = prompt;
  const tokens = [...prompt.tokens, ...prompt.beforeText];
  const hasTools = mayCall(task);
  const ends = [...task.stop, ...endTexts];
  const stop = hasTools ? [...ends, trigger] : ends;
  const { thought } = chat;
  const free = yield* write(task, run, {
    tokens,
    endTokens,
    stop,
    thought,
    showsControls: hasTools,
  });
  const callAt = hasTools ? free.whole.indexOf(trigger) : -1;
  const textEnd = cutAtStop(free.whole, ends)?.length ?? free.whole.length;
  if (callAt !== -1 && callAt < textEnd) return yield* completeCall(task, tokens, free, callAt, run);
  return ok(inText(free.text, { ...free, usage: sumUsage(tokens.length, free.written.length) }));
}

/** Writes the last part of the trigger again, now with the grammar of the calls, and the rest of the call. */
async function* completeCall(
  task: ChatTask,
  prompt: readonly Token[],
  { whole, written, last }: WrittenText,
  callAt: number,
  run: Run,
): Completion {
  const { prefix, trigger } = run.loaded.chat.call;
  const known = whole.slice(whole.length - last.text.length, callAt + trigger.length);
  const start = known + prefix.slice(trigger.length);
  const grammar = await openGrammar([{ kind: 'call', tools: task.tools, start }], run);
  if (!grammar.ok) return grammar;
  const before = written.slice(0, last.tokensBefore);
  const tokens = [...prompt, ...before];
  const maxTokens = task.maxTokens - before.length;
  const call = yield* write({ ...task, maxTokens }, run, {
    ...grammar.value,
    tokens,
    stop: [],
    showsControls: true,
  });
  const usage = sumUsage(prompt.length, before.length + call.written.length);
  return finishCall(
    task,
    whole.slice(0, callAt).trim(),
    call.whole.slice(start.length),
    { ...call, usage },
    run,
  );
}

type Ended = Pick<ChatInference, 'finishReason' | 'usage'>;

/** A call that was cut off is useless, so the completion has only the text before it. */
function finishCall(
  { tools }: ChatTask,
  content: string,
  written: string,
  ended: Ended,
  { loaded }: Run,
): Result<ChatInference, InferenceFault> {
  if (ended.finishReason === 'length') return ok(inText(content, ended));
  const call = readCall(written, tools, loaded.chat.call.beforeArguments);
  if (call === null) return failed('the call of the model is incomplete');
  return ok({
    kind: 'chat',
    message: { role: 'assistant', content: content === '' ? null : content, tool_calls: [call] },
    finishReason: 'tool_calls',
    usage: ended.usage,
  });
}

function inText(content: string, { finishReason, usage }: Ended): ChatInference {
  return { kind: 'chat', message: { role: 'assistant', content }, finishReason, usage };
}

function write(task: InferenceTask, { loaded, sequence, meter, signal }: Run, options: WriteOptions) {
  const { maxTokens: tokensMax } = task;
  const all = { ...options, tokensMax, meter, sampling: chooseSampling(task) };
  return writeText(loaded.model, sequence, all, signal);
}

type WriteOptions = Omit<TextOptions, 'tokensMax' | 'meter' | 'sampling'>;

async function openGrammar(
  forms: readonly Form[],
  { loaded }: Run,
): Promise<Result<Pick<GenerationOptions, 'grammarEvaluationState'>, InferenceFault>> {
  const { library, llama, model, chat } = loaded;
  const written = writeTaskGrammar(forms, chat.call.beforeArguments);
  if (!written.ok) return failed(written.fault);
  let grammar: LlamaGrammar;
  try {
    grammar = await llama.createGrammar({ grammar: written.value });
  } catch {
    return failed('llama.cpp rejects the grammar of the schema');
  }
  return ok({ grammarEvaluationState: new library.LlamaGrammarEvaluationState({ model, grammar } as never) });
}

/** The model must never lose the beginning of a prompt, so a task that could need more tokens is not run. */
function describeExcess(
  { maxTokens }: InferenceTask,
  prompt: readonly Token[],
  { sequence }: Run,
): string | null {
  const { contextSize } = sequence;
  if (prompt.length + maxTokens <= contextSize) return null;
  return `the prompt has ${prompt.length} tokens, which with max_tokens ${maxTokens} exceed the context of ${contextSize} tokens`;
}

function failed(detail: string): { readonly ok: false; readonly fault: InferenceFault } {
  return fail({ kind: 'failed', detail });
}
