import { fail, ok, type Result } from '../types/result.ts';
import type { RpcFault } from './rpc.ts';

/** Most characters of a node's error text in the log. */
const messageLengthMax = 500;

/**
 * Reads the node's response to the call with this id. An error object is a refusal of the node. Anything else
 * without a result is no usable response. A status of 401, 403, 429 or 5xx is none either, whatever the body
 * holds: the call did not reach the chain.
 */
export function readRpcResponse<T>({
  status,
  text,
  id,
  redact,
}: {
  readonly status: number;
  readonly text: string;
  readonly id: number;
  readonly redact: (text: string) => string;
}): Result<T, RpcFault> {
  const unusable = (message: string) => fail<RpcFault>({ kind: 'unavailable', message });
  if (status >= 500 || status === 401 || status === 403 || status === 429) {
    return unusable(`the node returned HTTP ${status}`);
  }
  const response = parseObject(text);
  if (response === null) return unusable(`the response is not a JSON object (HTTP ${status})`);

  const error = response['error'];
  // A node that could not parse the request does not know its id and sends null.
  const isOurs = response['id'] === id || (response['id'] === null && isObject(error));
  if (!isOurs) return unusable('the response belongs to another call');

  if (isObject(error)) {
    const { code, message, data } = error;
    if (typeof code !== 'number' || typeof message !== 'string') {
      return unusable('the error has no code or no message');
    }
    const refusal = { kind: 'refused', code, message: redact(message).slice(0, messageLengthMax) } as const;
    return fail(isHex(data) ? { ...refusal, data } : refusal);
  }
  if (!('result' in response)) return unusable('the response has neither a result nor an error');
  if (status < 200 || status > 299) return unusable(`the node returned HTTP ${status}`);
  return ok(response['result'] as T);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value);
}
