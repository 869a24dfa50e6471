import { takeTokens } from './tokens.ts';

/** Cuts a text that arrives in parts. */
export type TokenLimit = {
  /** Takes the next part. Returns what of it is within the limit. Takes no part after a cut. */
  take(part: string, signal: AbortSignal): Promise<{ readonly text: string; readonly isCut: boolean }>;
};

/**
 * Cuts a text behind a number of tokens (D-272). A text has at most as many tokens as bytes. So the tokens are counted
 * only when the bytes since the last count could exceed the rest, a few times for a text that keeps the limit. Each
 * count may be a token too high, because it begins inside a word.
 */
export function createTokenLimit(tokensMax: number): TokenLimit {
  let tokensLeft = tokensMax;
  let uncounted = '';
  let uncountedBytes = 0;
  return {
    async take(part, signal) {
      uncounted += part;
      uncountedBytes += Buffer.byteLength(part);
      if (uncountedBytes <= tokensLeft) return { text: part, isCut: false };
      const taken = await takeTokens(uncounted.toWellFormed(), tokensLeft, signal);
      const passed = uncounted.length - part.length;
      if (taken.cut) return { text: part.slice(0, Math.max(0, taken.text.length - passed)), isCut: true };
      tokensLeft -= taken.tokens;
      uncounted = '';
      uncountedBytes = 0;
      return { text: part, isCut: false };
    },
  };
}
