import type { ChatTask } from '../engine.ts';
import { mayCall } from '../stream.ts';
import { writeHistory } from './history.ts';
import type { ChatWrapper, LlamaLibrary, LlamaModel, MarkedText, Token } from './library.ts';
import type { CallFormat } from './task-grammar.ts';
import type { ThoughtMarks } from './thought.ts';

/** The texts of a chat template that the engine looks for, as the model writes them. */
export type ChatFormat = {
  readonly wrapper: ChatWrapper;
  readonly call: CallFormat;
  readonly thought: ThoughtMarks | null;
};

export type ChatPrompt = {
  readonly tokens: Token[];
  /** A single token or a text ends the message of the model. */
  readonly endTokens: ReadonlySet<Token>;
  readonly endTexts: readonly string[];
  /** The template has begun a thought for the model. */
  readonly isThinking: boolean;
};

/**
 * Throws for a template that writes a completion in several channels. The engine cannot tell them apart, and would sell
 * their marks as text.
 */
export function readChatFormat(library: LlamaLibrary, model: LlamaModel): ChatFormat {
  const wrapper = library.resolveChatWrapper(model);
  const sample = wrapper.generateContextState({
    chatHistory: writeHistory([{ role: 'user', content: 'Hi' }]),
  });
  if (sample.rerender !== undefined || sample.functionCall !== undefined)
    throw new Error(
      `its chat template ${wrapper.wrapperName} has channels, which this engine does not support`,
    );
  const { call, parallelism } = wrapper.settings.functions;
  const thought = wrapper.settings.segments?.thought;
  const write = (text: string | MarkedText) =>
    writeText(library.LlamaText(text).tokenize(model.tokenizer), model);
  const prefixTokens = [parallelism?.call.sectionPrefix ?? '', call.prefix].flatMap((text) =>
    library.LlamaText(text).tokenize(model.tokenizer),
  );
  const prefix = writeText(prefixTokens, model);
  return {
    wrapper,
    call: {
      prefix,
      trigger: chooseTrigger(prefix, writeText(prefixTokens.slice(0, 1), model)),
      beforeArguments: write(call.paramsPrefix),
    },
    thought:
      thought?.suffix === undefined
        ? null
        : { prefix: write(thought.prefix).trim(), suffix: write(thought.suffix).trim() },
  };
}

/** A long first token is a mark of the template, such as `<tool_call>`. Models differ in the white space behind it. */
function chooseTrigger(prefix: string, firstToken: string): string {
  if (firstToken.length >= markLengthMin) return firstToken;
  return /^\S+/.exec(prefix)?.[0] ?? prefix;
}

const markLengthMin = 6;

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
  const several = ends.filter((end) => end.length > 1);
  const tail = model.detokenize(tokens.slice(-tailTokens), true).trimEnd();
  return {
    tokens,
    endTokens: new Set(single),
    endTexts: several.map((end) => model.detokenize(end, true)),
    isThinking: thought !== null && tail.endsWith(thought.prefix),
  };
}

/** More tokens than the mark of a thought has. */
const tailTokens = 16;

function listFunctions(task: ChatTask) {
  const { toolChoice, tools } = task;
  const offered =
    toolChoice.mode === 'specific' ? tools.filter((tool) => tool.function.name === toolChoice.name) : tools;
  return Object.fromEntries(
    offered.map(({ function: { name, description, parameters } }) => [
      name,
      {
        ...(description !== undefined && { description }),
        ...(parameters !== undefined && { params: parameters }),
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

function writeText(tokens: Token[], model: LlamaModel): string {
  return model.detokenize(tokens, true);
}
