import { createHash, randomUUID } from 'node:crypto';
import { fail, ok } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type {
  ChatInference,
  ChatTask,
  Engine,
  Inference,
  InferenceTask,
  TextInference,
  TextTask,
} from '../engine.ts';
import { finishText } from '../finish.ts';
import { countPromptTokens, usageOf } from '../usage.ts';
import { takeTurn } from '../work-turns.ts';
import { answerChat, continuePrompt } from './answer.ts';
import { attemptCall, toolToCall } from './call-tool.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { createWording, type Wording } from './wording.ts';

/**
 * An engine without a model, for development, tests and demonstrations. It is not a language model and says so: it
 * answers from the conversation by rules (echo, sums, counting, recall, summary, else a paragraph about what was said),
 * calls tools with arguments that satisfy their schema, and honours `max_tokens`, `stop`, `temperature` and
 * `tool_choice` as a model would. Tokens are counted with a real tokenizer.
 *
 * At temperature 0 the same task gives the same bytes, ids of calls included; above, `randomSeed` varies the wording.
 * Stop sequences end text and never the arguments of a call, which are whole or not there at all.
 */
export function createReferenceEngine({
  randomSeed = randomUUID,
}: {
  readonly randomSeed?: () => string;
} = {}): Engine {
  return {
    name: 'reference',
    async infer(task, limits) {
      const deadline = openDeadline(limits);
      try {
        const wording = createWording(
          task.temperature === 0 ? await takeTurn(() => digestOf(task)) : randomSeed(),
        );
        const inference = await inferByRules(task, wording, deadline.signal);
        deadline.signal.throwIfAborted();
        return ok(inference);
      } catch (error) {
        return fail(faultOf(error, deadline));
      } finally {
        deadline.close();
      }
    },
    async close() {},
  };
}

/** An aborted signal ends the work by an exception; any other exception is a defect of ours. */
function faultOf(error: unknown, deadline: Deadline) {
  const fault = deadline.fault();
  if (fault === null) throw error;
  return fault;
}

/** Of what a model would read. Where an answer is cut does not change it: a shorter one is the beginning of a longer one. */
function digestOf(task: InferenceTask): string {
  const { maxTokens: _, stop: __, temperature: ___, ...read } = task;
  return createHash('sha256').update(JSON.stringify(read)).digest('hex');
}

async function inferByRules(task: InferenceTask, wording: Wording, signal: AbortSignal): Promise<Inference> {
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
    await takeTurn(() => continuePrompt(task.prompt, wording)),
    task,
    signal,
  );
  return { kind: 'text', text, finishReason, usage: usageOf(promptTokens, tokens) };
}

async function inferChat(
  task: ChatTask,
  promptTokens: number,
  wording: Wording,
  signal: AbortSignal,
): Promise<ChatInference> {
  const conversation = readConversation(task.messages);
  const tool = await toolToCall(task, conversation, signal);
  if (tool === null) return inChatText(await takeTurn(() => answerChat(conversation, wording)));

  const attempt = await attemptCall(tool, conversation, { maxTokens: task.maxTokens, wording, signal });
  if (attempt.kind === 'call') {
    return {
      kind: 'chat',
      message: { role: 'assistant', content: null, tool_calls: [attempt.call] },
      finishReason: 'tool_calls',
      usage: usageOf(promptTokens, attempt.tokens),
    };
  }
  if (attempt.kind === 'unsatisfiable')
    return inChatText(await takeTurn(() => withoutArguments(task, conversation, attempt.name)));
  // Half of a call's JSON is worth nothing. So the answer says in words what was too long, and that it was too long.
  const told = await inChatText(`A call of ${attempt.name} does not fit in max_tokens ${task.maxTokens}.`);
  return { ...told, finishReason: 'length' };

  async function inChatText(answer: string): Promise<ChatInference> {
    const { text, finishReason, tokens } = await finishText(answer, task, signal);
    return {
      kind: 'chat',
      message: { role: 'assistant', content: text },
      finishReason,
      usage: usageOf(promptTokens, tokens),
    };
  }

  function withoutArguments({ toolChoice }: ChatTask, about: Conversation, name: string): string {
    if (toolChoice.mode === 'auto') return answerChat(about, wording);
    return `No arguments were found that satisfy the parameters of ${name}, so it was not called.`;
  }
}
