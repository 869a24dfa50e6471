import { asOneLine } from './one-line.ts';
import type { WireAnswer } from './wire.ts';

/** How often one request is sent again because the target asked for patience. */
export const retriesMax = 3;
/** The longest that one `Retry-After` is honoured for; a longer one leaves the answer as it is. */
const retryAfterSecondsMax = 30;

/**
 * Seconds to wait before anything more is sent, or undefined where nothing was asked for that can be granted. Only 429 and
 * 503 pass by themselves, and only with `Retry-After`.
 */
export function secondsToWait(answer: WireAnswer, nowSeconds: number): number | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  const asked = answer.headers.get('retry-after')?.trim();
  if (asked === undefined) return undefined;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil(Date.parse(asked) / 1000) - nowSeconds;
  if (Number.isNaN(seconds) || seconds > retryAfterSecondsMax) return undefined;
  return Math.max(seconds, 0);
}

/** What an answer asks to be waited for, in words that follow its status; empty where it asks for nothing. */
export function readRetryAfter(headers: WireAnswer['headers']): string {
  const asked = headers.get('retry-after')?.trim();
  return asked === undefined || asked === '' ? '' : `, Retry-After ${asOneLine(asked)}`;
}
