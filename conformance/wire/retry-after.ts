import { asOneLine } from './one-line.ts';
import type { WireResponse } from './wire.ts';

/** The most retries of one request after `Retry-After`. */
export const retriesMax = 3;
/** The longest `Retry-After` that the suite waits for, in seconds: a usual window has a minute. A longer one ends the retries. */
const retryAfterSecondsMax = 60;

/**
 * Seconds to wait before the next request; undefined if there is no acceptable `Retry-After`. Only 429 and 503
 * are retried.
 */
export function secondsToWait(response: WireResponse, nowSeconds: number): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const asked = response.headers.get('retry-after')?.trim();
  if (asked === undefined) return undefined;
  const seconds = /^\d+$/.test(asked) ? Number(asked) : Math.ceil(Date.parse(asked) / 1000) - nowSeconds;
  if (Number.isNaN(seconds) || seconds > retryAfterSecondsMax) return undefined;
  return Math.max(seconds, 0);
}

/** The `Retry-After` of a response, as words that follow the status; empty if there is none. */
export function readRetryAfter(headers: WireResponse['headers']): string {
  const asked = headers.get('retry-after')?.trim();
  return asked === undefined || asked === '' ? '' : `, Retry-After ${asOneLine(asked)}`;
}
