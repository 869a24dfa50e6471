import type { ChatTask } from '../engine.ts';
import { mayCall } from '../stream.ts';
import type { ChatFormat } from './chat-format.ts';
import { writeHistory } from './history.ts';
import type { AvailableFunction, LlamaModel, Token } from './library.ts';

export type ChatPrompt = {
  readonly tokens: Token[];
  /** A single token or a text ends the message of the model. */
  readonly endTokens: ReadonlySet<Token>;
  readonly endTexts: readonly string[];
  /** The mark of a thought behind the tokens: its start before a text, or its end before JSON or a call. One is empty. */
  readonly beforeText: readonly Token[];
  readonly beforeForm: readonly Token[];
};

/** Writes a chat with the template of the model. Text of the client never becomes a control token. */
export function writeChatPrompt(
  task: ChatTask,
  { wrapper, thought }: ChatFormat,
  model: LlamaModel,
): ChatPrompt {
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({
    chatHistory: writeHistory(task.messages),
    ...(mayCall(task) && { availableFunctions: listFunctions(task) }),
  });
  const tokens = withoutAddedStart(contextText.tokenize(model.tokenizer), model);
  const ends = stopGenerationTriggers.map((trigger) => trigger.tokenize(model.tokenizer));
  const single = ends.flatMap((end) => (end.length === 1 ? end : []));
  const texts = stopGenerationTriggers.filter((_, at) => ends[at]?.length !== 1);
  const { prefix = null, suffix = '', isFirst = false } = thought ?? {};
  return {
    tokens,
    endTokens: new Set(single),
    endTexts: texts.map((text) => text.toString()),
    beforeText: isFirst && prefix !== null ? model.tokenize(prefix, true) : [],
    beforeForm: isFirst && prefix === null ? model.tokenize(suffix, true) : [],
  };
}

function listFunctions(task: ChatTask): Record<string, AvailableFunction> {
  const { toolChoice, tools } = task;
  const offered =
    toolChoice.mode === 'specific' ? tools.filter((tool) => tool.function.name === toolChoice.name) : tools;
  return Object.fromEntries(
    offered.map(({ function: { name, description, parameters } }) => [
      name,
      {
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && { params: parameters as never }),
      },
    ]),
  );
}

/** node-llama-cpp adds the start of a text also for models whose template has none. */
function withoutAddedStart(tokens: Token[], { tokens: known, fileInfo }: LlamaModel): Token[] {
  const template = fileInfo.metadata.tokenizer.chat_template;
  const isAdded = !known.shouldPrependBosToken && template !== undefined && !template.includes('bos_token');
  return isAdded && tokens[0] === known.bos ? tokens.slice(1) : tokens;
}
