import { countTokens, takeTokens } from './tokens.ts';

/** A text as it leaves an engine, and why it ends where it does. */
export type FinishedText = {
  readonly text: string;
  readonly finishReason: 'stop' | 'length';
  /** Tokens generated, by the tokenizer of this package. */
  readonly tokens: number;
};

/**
 * Ends a text where a model would have stopped: before the earliest stop sequence that was complete within `maxTokens`
 * tokens, else after `maxTokens` tokens, else where the text itself ends (D-10, D-13).
 * Throws the signal's reason once it is aborted.
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

/** The text before the earliest stop sequence; null when it holds none. An empty sequence stops nothing. */
export function cutAtStop(text: string, stop: readonly string[]): string | null {
  const places = stop.flatMap((sequence) => {
    const place = sequence === '' ? -1 : placeOf(sequence, text);
    return place === -1 ? [] : [place];
  });
  return places.length === 0 ? null : text.slice(0, Math.min(...places));
}

/**
 * `text.indexOf(sequence)` in linear time (Knuth, Morris, Pratt): the engine's own takes seconds for a long text and a
 * long sequence that almost occurs everywhere, and both come from the caller.
 */
function placeOf(sequence: string, text: string): number {
  const fallback = new Uint32Array(sequence.length);
  for (let at = 1, matched = 0; at < sequence.length; at++) {
    while (matched > 0 && sequence[at] !== sequence[matched]) matched = fallback[matched - 1] ?? 0;
    if (sequence[at] === sequence[matched]) matched++;
    fallback[at] = matched;
  }
  for (let at = 0, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== sequence[matched]) matched = fallback[matched - 1] ?? 0;
    if (text[at] === sequence[matched]) matched++;
    if (matched === sequence.length) return at - matched + 1;
  }
  return -1;
}
