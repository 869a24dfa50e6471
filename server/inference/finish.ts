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
    const place = sequence === '' ? -1 : text.indexOf(sequence);
    return place === -1 ? [] : [place];
  });
  return places.length === 0 ? null : text.slice(0, Math.min(...places));
}
