import { takeTokens } from './tokens.ts';

/** Cuts a text that arrives in parts. */
export type TokenLimit = {
  /** Takes the next part. Returns what of it is within the limit. Takes no part after a cut. */
  take(part: string, signal: AbortSignal): Promise<{ readonly text: string; readonly isCut: boolean }>;
};

/**
 * Cuts a text behind a number of tokens and of parts (D-272). A part with text has at least one token of the model,
 * and its tokenizer may need far fewer tokens than this one for some scripts. So only a text that exceeds both numbers
 * is cut. A text has at most as many tokens as bytes, so the tokens are counted only when the bytes since the last
 * count could exceed the rest, a few times for a text that keeps the limit. Each count may be a token too high, because
 * it begins inside a word.
 */
export function createTokenLimit(tokensMax: number, partsMax: number): TokenLimit {
  let tokensLeft = tokensMax;
  let partsLeft = partsMax;
  let uncounted = '';
  let uncountedBytes = 0;
  let isOver = false;
  return {
    async take(part, signal) {
      if (part !== '') partsLeft--;
      const length = isOver ? 0 : await countWithin(part, signal);
      isOver ||= length < part.length;
      const isCut = isOver && partsLeft < 0;
      return { text: isCut ? part.slice(0, length) : part, isCut };
    },
  };

  /** Returns how many units of the part are within the tokens. */
  async function countWithin(part: string, signal: AbortSignal): Promise<number> {
    uncounted += part;
    uncountedBytes += Buffer.byteLength(part);
    if (uncountedBytes <= tokensLeft) return part.length;
    const taken = await takeTokens(uncounted.toWellFormed(), tokensLeft, signal);
    if (taken.cut) return Math.max(0, taken.text.length - (uncounted.length - part.length));
    tokensLeft -= taken.tokens;
    uncounted = '';
    uncountedBytes = 0;
    return part.length;
  }
}
