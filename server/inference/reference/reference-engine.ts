import { createHash, randomUUID } from 'node:crypto';
import { fail, ok, type Result } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type {
  ChatInference,
  ChatTask,
  Engine,
  Inference,
  InferenceDelta,
  InferenceFault,
  InferenceLimits,
  InferenceTask,
  TextInference,
  TextTask,
} from '../engine.ts';
import { finishText } from '../finish.ts';
import { listDeltas } from '../stream.ts';
import { countTokens, loadTokenizer } from '../tokens.ts';
import { countPromptTokens, sumUsage } from '../usage.ts';
import { assignClient, takeTurn } from '../work-turns.ts';
import { attemptCall, toolToCall } from './call-tool.ts';
import { completeChat, continuePrompt } from './completion.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { formText } from './form-text.ts';
import { createWording, type Wording } from './wording.ts';

/**
 * Makes an engine without a model, for development, tests and demonstrations. The engine states that it is not
 * a language model. It answers by rules from the conversation (echo, sums, counting, recall, summary, else a
 * paragraph), and calls tools with arguments that satisfy their schema. It follows `max_tokens`, `stop`,
 * `temperature` and `tool_choice` like a model, and counts tokens with a real tokenizer.
 *
 * At temperature 0 the same task gives the same bytes, with the same call ids; above, `randomSeed` varies the
 * wording. Stop sequences end text and never the arguments of a call, which are always complete.
 */
export function createReferenceEngine({
  randomSeed = randomUUID,
}: {
  readonly randomSeed?: () => string;
} = {}): Engine {
  return {
    name: 'reference',
    // It makes at most one call by itself.
    honours: ['seed', 'response_format', 'parallel_tool_calls'],
    prepare() {
      // A task that needs the tokenizer gets its fault too.
      loadTokenizer().catch(() => undefined);
    },
    async infer(task, limits) {
      const deadline = openDeadline(limits);
      try {
        return await run(task, deadline.signal);
      } catch (error) {
        return fail(requireFault(error, deadline));
      } finally {
        deadline.close();
      }
    },
    async *stream(task, limits) {
      const deadline = openDeadline(limits);
      let shown = '';
      let inferred: Result<Inference, InferenceFault> | null = null;
      try {
        inferred = await run(task, deadline.signal);
        if (!inferred.ok) return inferred;
        for (const delta of listDeltas(inferred.value)) {
          for (const part of splitDelta(delta)) {
            const next = await takeTurn(deadline.signal, () => part);
            if (next.kind === 'text') shown += next.text;
            yield next;
          }
        }
        return inferred;
      } catch (error) {
        const fault = requireFault(error, deadline);
        // A text that was yielded is paid for (D-272).
        if (shown !== '' && inferred?.ok && fault.kind === 'timeout')
          return ok(await cutText(inferred.value, shown, limits));
        return fail(fault);
      } finally {
        deadline.close();
      }
    },
    async close() {},
  };

  async function run(task: InferenceTask, signal: AbortSignal): Promise<Result<Inference, InferenceFault>> {
    const wording = createWording(await chooseSeed(task, randomSeed, signal));
    const inference = await inferByRules(task, wording, signal);
    signal.throwIfAborted();
    if (inference === null) return fail(noJson);
    return ok(inference);
  }
}

/** Each run of the rules ends so for this request, because the message and the schema decide. */
const noJson: InferenceFault = {
  kind: 'failed',
  detail: 'no JSON was found for the schema',
  isOfRequest: true,
};

/** Splits a text before each word. A space belongs to the word behind it. */
function* splitDelta(delta: InferenceDelta): Generator<InferenceDelta> {
  if (delta.kind === 'call') return yield delta;
  for (const [text] of delta.text.matchAll(/\s*\S+|\s+$/g)) yield { kind: 'text', text };
}

/** Ends a completion behind the beginning of its text, whose count needs no deadline: it is within `max_tokens`. */
async function cutText(
  { usage, ...inference }: Inference,
  text: string,
  limits: InferenceLimits,
): Promise<Inference> {
  const { signal } = new AbortController();
  assignClient(signal, limits);
  const counted = await countTokens([text], signal);
  const tokens = Math.min(counted, usage.completion_tokens);
  const ended = { finishReason: 'length', usage: sumUsage(usage.prompt_tokens, tokens) } as const;
  return inference.kind === 'text'
    ? { ...inference, text, ...ended }
    : { ...inference, message: { role: 'assistant', content: text }, ...ended };
}

/** Returns the fault of an aborted deadline. Any other exception is a defect and is thrown again. */
function requireFault(error: unknown, deadline: Deadline) {
  const fault = deadline.fault();
  if (fault === null) throw error;
  return fault;
}

async function chooseSeed(
  task: InferenceTask,
  randomSeed: () => string,
  signal: AbortSignal,
): Promise<string> {
  const { temperature, fields } = task;
  if (temperature > 0 && fields.seed === undefined) return randomSeed();
  const hash = await takeTurn(signal, () => hashTask(task));
  return temperature === 0 ? hash : `${hash}/${fields.seed}`;
}

/**
 * Hashes the input of a model, without limits that only cut the completion: a short completion is the beginning of a
 * longer one.
 */
function hashTask(task: InferenceTask): string {
  const { maxTokens: _, stop: __, temperature: ___, fields: ____, ...read } = task;
  return createHash('sha256').update(JSON.stringify(read)).digest('hex');
}

/** Null for a form of JSON that the rules cannot produce. */
async function inferByRules(
  task: InferenceTask,
  wording: Wording,
  signal: AbortSignal,
): Promise<Inference | null> {
  const promptTokens = await countPromptTokens(task, signal);
  return task.kind === 'chat'
    ? inferChat(task, promptTokens, wording, signal)
    : inferText(task, promptTokens, wording, signal);
}

async function inferText(
  task: TextTask,
  promptTokens: number,
  wording: Wording,
  signal: AbortSignal,
): Promise<TextInference> {
  const { text, finishReason, tokens } = await finishText(
    await takeTurn(signal, () => continuePrompt(task.prompt, wording)),
    task,
    signal,
  );
  return { kind: 'text', text, finishReason, usage: sumUsage(promptTokens, tokens) };
}

async function inferChat(
  task: ChatTask,
  promptTokens: number,
  wording: Wording,
  signal: AbortSignal,
): Promise<ChatInference | null> {
  const conversation = readConversation(task.messages);
  const tool = await toolToCall(task, conversation, signal);
  if (tool === null) {
    const completion = await takeTurn(signal, () => completeChat(conversation, wording));
    const formed = await formText(completion, task, conversation, signal);
    return formed === null ? null : inChatText(formed);
  }

  const attempt = await attemptCall(tool, conversation, { maxTokens: task.maxTokens, wording, signal });
  if (attempt.kind === 'call') {
    return {
      kind: 'chat',
      message: { role: 'assistant', content: null, tool_calls: [attempt.call] },
      finishReason: 'tool_calls',
      usage: sumUsage(promptTokens, attempt.tokens),
    };
  }
  if (attempt.kind === 'unsatisfiable')
    return inChatText(await takeTurn(signal, () => withoutArguments(task, conversation, attempt.name)));
  // An incomplete call is useless, so the completion states in text which call was too long.
  const told = await inChatText(`A call of ${attempt.name} does not fit in max_tokens ${task.maxTokens}.`);
  return { ...told, finishReason: 'length' };

  async function inChatText(completion: string): Promise<ChatInference> {
    const { text, finishReason, tokens } = await finishText(completion, task, signal);
    return {
      kind: 'chat',
      message: { role: 'assistant', content: text },
      finishReason,
      usage: sumUsage(promptTokens, tokens),
    };
  }

  function withoutArguments({ toolChoice }: ChatTask, about: Conversation, name: string): string {
    if (toolChoice.mode === 'auto') return completeChat(about, wording);
    return `No arguments were found that satisfy the parameters of ${name}, so it was not called.`;
  }
}
