import { fail, ok, type Result } from '../types/result.ts';
import type { RpcFault } from './rpc.ts';

/** A node's own words go into our log; more than this is noise. */
const messageLengthMax = 500;

/**
 * Reads what a node sent back for the call with this id. An error object is the node's refusal; everything that is
 * neither it nor a result is no answer. Being turned away at the door (401, 403, 429, 5xx) is no answer either,
 * whatever the body says: the chain has not been asked.
 */
export function readRpcAnswer<T>({
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
    return unusable(`the node answered HTTP ${status}`);
  }
  const answer = parseObject(text);
  if (answer === null) return unusable(`the answer is not a JSON object (HTTP ${status})`);

  const error = answer['error'];
  // A node that could not read the request does not know its id and says null.
  const isOurs = answer['id'] === id || (answer['id'] === null && isObject(error));
  if (!isOurs) return unusable('the answer belongs to another call');

  if (isObject(error)) {
    const { code, message, data } = error;
    if (typeof code !== 'number' || typeof message !== 'string') {
      return unusable('the error has no code or no message');
    }
    const refusal = { kind: 'refused', code, message: redact(message).slice(0, messageLengthMax) } as const;
    return fail(isHex(data) ? { ...refusal, data } : refusal);
  }
  if (!('result' in answer)) return unusable('the answer has neither a result nor an error');
  if (status < 200 || status > 299) return unusable(`the node answered HTTP ${status}`);
  return ok(answer['result'] as T);
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
