import type { WireAnswer } from './wire.ts';

/** How often one request is sent again because the target asked for patience. */
export const retriesMax = 3;
/** The longest that one `Retry-After` is honoured for; a longer one leaves the answer as it is. */
export const retryAfterSecondsMax = 30;

/**
 * Seconds to wait before the same bytes are sent again, or undefined where the answer stands. Only 429 and 503 pass by
 * themselves, and only with `Retry-After`. To send the same `X-PAYMENT` twice cannot cost twice: its nonce is spent once.
 */
export function secondsToWait(answer: WireAnswer, nowSeconds: number): number | undefined {
  if (answer.status !== 429 && answer.status !== 503) return undefined;
  const asked = answer.headers.get('retry-after')?.trim();
  if (asked === undefined) return undefined;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil(Date.parse(asked) / 1000) - nowSeconds;
  if (Number.isNaN(seconds) || seconds > retryAfterSecondsMax) return undefined;
  return Math.max(seconds, 0);
}
