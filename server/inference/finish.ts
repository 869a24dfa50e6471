import { countTokens, takeTokens } from './tokens.ts';

/** The text of a completion, and why it ended. */
export type FinishedText = {
  readonly text: string;
  readonly finishReason: 'stop' | 'length';
  /** Generated tokens, counted by `tokens.ts`. */
  readonly tokens: number;
};

/**
 * Ends a text where a model would have stopped: before the earliest stop sequence that was complete within
 * `maxTokens` tokens, else after `maxTokens` tokens, else at the end of the text (D-10, D-13). Throws the
 * signal's reason once it is aborted.
 */
export async function finishText(
  text: string,
  { maxTokens, stop }: { readonly maxTokens: number; readonly stop: readonly string[] },
  signal: AbortSignal,
): Promise<FinishedText> {
  const taken = await takeTokens(text.toWellFormed(), maxTokens, signal);
  const beforeStop = cutAtStop(taken.text, stop);
  if (beforeStop !== null) {
    return { text: beforeStop, finishReason: 'stop', tokens: await countTokens([beforeStop], signal) };
  }
  return { text: taken.text, finishReason: taken.cut ? 'length' : 'stop', tokens: taken.tokens };
}

/** The text before the earliest stop sequence; null when it contains none. An empty sequence is ignored. */
export function cutAtStop(text: string, stop: readonly string[]): string | null {
  const places = stop.flatMap((sequence) => {
    const place = sequence === '' ? -1 : findSequence(sequence, text);
    return place === -1 ? [] : [place];
  });
  return places.length === 0 ? null : text.slice(0, Math.min(...places));
}

/** The built-in search is four times as fast, and takes this many steps for each unit of the text at most. */
const builtInLengthMax = 32;

/**
 * `text.indexOf(sequence)` in linear time (Knuth, Morris, Pratt). The built-in takes seconds for a long text
 * and a long sequence that almost occurs everywhere, and the client sends both.
 */
function findSequence(sequence: string, text: string): number {
  if (sequence.length <= builtInLengthMax) return text.indexOf(sequence);
  const matcher = createMatcher(sequence);
  for (let at = 0; at < text.length; at++) {
    if (matcher.take(text.charCodeAt(at)) === sequence.length) return at - sequence.length + 1;
  }
  return -1;
}

/** Searches a sequence in a text that arrives in parts. */
export type Matcher = {
  /** Takes the next UTF-16 unit. Returns how many units of the sequence the text ends with. */
  take(unit: number): number;
};

/** The automaton of Knuth, Morris and Pratt. Call it no more after it took the whole sequence. */
export function createMatcher(sequence: string): Matcher {
  const units = new Uint16Array(sequence.length).map((_, at) => sequence.charCodeAt(at));
  const fallback = new Uint32Array(sequence.length);
  const advance = (matched: number, unit: number) => {
    let length = matched;
    while (length > 0 && unit !== units[length]) length = fallback[length - 1] ?? 0;
    return unit === units[length] ? length + 1 : length;
  };
  for (let at = 1; at < units.length; at++) fallback[at] = advance(fallback[at - 1] ?? 0, units[at] ?? 0);
  let matched = 0;
  return {
    take(unit) {
      matched = advance(matched, unit);
      return matched;
    },
  };
}
