import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { headerNames } from '@paid-inference/contract/constants';
import type { Order } from './purchase.ts';

/** Defaults for requests of tools that cannot set them. */
export type OrderDefaults = {
  readonly maxTokens?: number;
  readonly settlementType?: string;
};

/** The only headers of a tool that the gateway gets. The access token stays here. */
const forwarded = [
  'Content-Type',
  headerNames.settlementType,
  headerNames.idempotencyKey,
  headerNames.retryCount,
] as const;

/** The request of a tool as the gateway gets it. */
export function readOrder(
  url: string,
  given: IncomingHttpHeaders,
  bytes: Uint8Array<ArrayBuffer>,
  { maxTokens, settlementType }: OrderDefaults,
): Order {
  const headers: Record<string, string> = {};
  if (settlementType !== undefined) headers[headerNames.settlementType] = settlementType;
  for (const name of forwarded) {
    const value = given[name.toLowerCase()];
    if (typeof value === 'string') headers[name] = value;
  }
  const request = parse(bytes);
  const body = request === null || maxTokens === undefined ? bytes : limitTokens(request, maxTokens, bytes);
  const sold = [url, headers[headerNames.settlementType] ?? null];
  const key = createHash('sha256').update(JSON.stringify(sold)).update(body).digest('hex');
  const model = typeof request?.['model'] === 'string' ? request['model'] : 'no model';
  const isRetry = Number(headers[headerNames.retryCount] ?? 0) > 0;
  return { url, headers, body, key, isRetry, model };
}

type Json = Readonly<Record<string, unknown>>;

/** Adds a limit to a request without one. The contract's default of 100 tokens cuts off most tools (§8). */
function limitTokens(
  request: Json,
  maxTokens: number,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  if ((request['max_tokens'] ?? request['max_completion_tokens'] ?? null) !== null) return bytes;
  return new TextEncoder().encode(JSON.stringify({ ...request, max_tokens: maxTokens }));
}

/** Null for a body that is no object; the gateway refuses it. */
function parse(bytes: Uint8Array): Json | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
