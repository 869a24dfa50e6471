import { writeHistory } from './history.ts';
import type { ChatWrapper, LlamaLibrary, LlamaModel, MarkedText } from './library.ts';
import type { CallFormat } from './task-grammar.ts';

/** The chat template of a model, and the texts in a completion that are marks of it. */
export type ChatFormat = {
  readonly wrapper: ChatWrapper;
  readonly call: CallFormat;
  readonly thought: ThoughtFormat | null;
};

/** The marks around the thoughts of a model that thinks before it responds. */
export type ThoughtFormat = {
  /** Null for a template that writes it itself. */
  readonly prefix: string | null;
  readonly suffix: string;
  /** Whether each completion begins with a thought. */
  readonly isFirst: boolean;
};

/**
 * Throws for a template that writes a completion in several channels. The engine cannot tell them apart, and would sell
 * their marks as text.
 */
export function readChatFormat(library: LlamaLibrary, model: LlamaModel): ChatFormat {
  const wrapper = library.resolveChatWrapper(model);
  const chatHistory = writeHistory([{ role: 'user', content: 'Hi' }]);
  const { rerender, functionCall } = wrapper.generateContextState({ chatHistory });
  if (rerender !== undefined || functionCall !== undefined)
    throw new Error(
      `its chat template ${wrapper.wrapperName} has channels, which this engine does not support`,
    );
  const { call, parallelism } = wrapper.settings.functions;
  const parts = [parallelism?.call.sectionPrefix ?? '', call.prefix].map((part) =>
    library.LlamaText(part as never),
  );
  const prefix = parts.join('');
  const [first = ''] = parts.flatMap((part) =>
    part.tokenize(model.tokenizer).map((token) => model.detokenize([token], true)),
  );
  return {
    wrapper,
    call: {
      prefix,
      trigger: chooseTrigger(prefix, first),
      beforeArguments: library.LlamaText(call.paramsPrefix as never).toString(),
    },
    thought: readThought(library, wrapper),
  };
}

/** A long first token is a mark of the template, such as `<tool_call>`. Models differ in the white space behind it. */
function chooseTrigger(prefix: string, firstToken: string): string {
  if (firstToken.length >= markLengthMin && prefix.startsWith(firstToken)) return firstToken;
  return /^\S+/.exec(prefix)?.[0] ?? prefix;
}

const markLengthMin = 6;

function readThought(library: LlamaLibrary, { settings }: ChatWrapper): ThoughtFormat | null {
  const { prefix, suffix, openOnResponseStart: isFirst = false } = settings.segments?.thought ?? {};
  if (prefix === undefined || suffix === undefined) return null;
  const write = (text: string | MarkedText) =>
    library
      .LlamaText(text as never)
      .toString()
      .trim();
  return isOpened(prefix)
    ? { prefix: null, suffix: write(suffix), isFirst: true }
    : { prefix: write(prefix), suffix: write(suffix), isFirst };
}

function isOpened(
  prefix: string | MarkedText | { type: 'openedOnStart' },
): prefix is { type: 'openedOnStart' } {
  return typeof prefix === 'object' && 'type' in prefix && prefix.type === 'openedOnStart';
}
