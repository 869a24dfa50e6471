import type { GrammarState, LlamaModel, LlamaSequence, SamplingOptions, Token } from './library.ts';

/** A part of a text, and all tokens that the model has written so far. */
export type WrittenPart = { readonly text: string; readonly written: readonly Token[] };

/** Why the text ended: the model ended it, or it has all its tokens. */
export type WrittenEnd = { readonly end: 'stop' | 'length'; readonly written: readonly Token[] };

export type GenerationOptions = {
  /** All that the model reads. The beginning that the sequence already has is not read again. */
  readonly tokens: readonly Token[];
  readonly tokensMax: number;
  readonly sampling: Sampling;
  readonly grammarEvaluationState?: GrammarState;
  readonly endTokens?: ReadonlySet<Token>;
  /** Whether the text shows control tokens. */
  readonly showsControls?: boolean;
};

export type Sampling = Pick<SamplingOptions, 'temperature' | 'topK' | 'topP' | 'minP' | 'seed'> & {
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
};

/**
 * The tokens of the prompt that the model reads between two looks at the signal. A large model reads some ten of
 * them in a second on two cores.
 */
const chunkTokens = 64;
/** A character of four bytes may have four tokens. */
const tokensOfCharacterMax = 4;
/** The tokens before a part, for tokenizers that write a space before a word. */
const contextTokens = 4;

/** Yields a text while the model writes it. Throws the reason of the signal between two steps of the model. */
export async function* generate(
  model: LlamaModel,
  sequence: LlamaSequence,
  options: GenerationOptions,
  signal: AbortSignal,
): AsyncGenerator<WrittenPart, WrittenEnd, void> {
  const { tokensMax, endTokens } = options;
  if (tokensMax < 1) return { end: 'length', written: [] };
  const last = await readPrompt(sequence, options.tokens, signal);
  const written: Token[] = [];
  const decoder = createDecoder(model, options);
  const steps = sequence.evaluate(last, writeSampling(options, written));
  try {
    for (;;) {
      const { value: token, done } = await steps.next();
      signal.throwIfAborted();
      const isEnd = done || token === undefined || endTokens?.has(token);
      if (!isEnd) written.push(token);
      const text = isEnd ? decoder.end() : decoder.push(token);
      if (text !== '') yield { text, written };
      if (isEnd) return { end: 'stop', written };
      if (written.length >= tokensMax) return { end: 'length', written };
    }
  } finally {
    await steps.return();
  }
}

/** Lets the model read the prompt. Returns its last tokens, which the first step of the model reads. */
async function readPrompt(
  sequence: LlamaSequence,
  tokens: readonly Token[],
  signal: AbortSignal,
): Promise<Token[]> {
  await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
  for (;;) {
    signal.throwIfAborted();
    const unread = tokens.slice(sequence.nextTokenIndex);
    if (unread.length <= chunkTokens) return unread;
    await sequence.evaluateWithoutGeneratingNewTokens(unread.slice(0, chunkTokens));
  }
}

function writeSampling(
  { sampling, grammarEvaluationState }: GenerationOptions,
  written: Token[],
): SamplingOptions {
  const { frequencyPenalty, presencePenalty, ...drawing } = sampling;
  const isPenalised = frequencyPenalty !== 0 || presencePenalty !== 0;
  return {
    ...drawing,
    ...(grammarEvaluationState !== undefined && { grammarEvaluationState }),
    ...(isPenalised && {
      repeatPenalty: { punishTokens: () => written, penalty: 1, frequencyPenalty, presencePenalty },
    }),
  };
}

/** Writes tokens as text. Holds back the first bytes of a character until its last byte. */
function createDecoder(model: LlamaModel, { tokens, showsControls = false }: GenerationOptions) {
  let before = tokens.slice(-contextTokens);
  let held: Token[] = [];
  return {
    push(token: Token): string {
      held.push(token);
      const text = model.detokenize(held, showsControls, before);
      if (text.endsWith(replacement) && held.length < tokensOfCharacterMax) return '';
      before = [...before, ...held].slice(-contextTokens);
      held = [];
      return text;
    },
    /** Half a character at the end of a text is left out. */
    end: () => model.detokenize(held, showsControls, before).replaceAll(replacement, ''),
  };
}

/** The decoder writes it for bytes that are no character. */
const replacement = '\ufffd';
