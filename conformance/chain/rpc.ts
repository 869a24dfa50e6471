import { type Found, found, missing } from '../types/found.ts';
import { decodeJson, isObject, member } from '../wire/base64-json.ts';
import { asOneLine } from '../wire/one-line.ts';
import { exchange, type WireLimits } from '../wire/wire.ts';

/** A node of a network, which is asked and never told anything. */
export type Rpc = {
  /** The result of a call, or why there is none: the node's trouble is nothing against a target. */
  call(method: string, params: readonly unknown[]): Promise<Found<unknown>>;
};

/**
 * JSON-RPC over HTTP. The URL may hold an account, so that `name` stands for it in every sentence. Nothing of this is in
 * the transcript: it was not said to the target.
 */
export function createRpc(url: string, name: string, limits: WireLimits, signal?: AbortSignal): Rpc {
  let calls = 0;
  return {
    async call(method, params) {
      calls += 1;
      const body = JSON.stringify({ jsonrpc: '2.0', id: calls, method, params });
      const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
      const outcome = await exchange({ method: 'POST', url, headers, body }, limits, signal);
      if (outcome.kind === 'failure')
        return missing(`${name} gave no answer to ${method}: ${outcome.reason}`);
      const answer = decodeJson(Buffer.from(outcome.body));
      if (!answer.ok || !isObject(answer.value)) {
        return missing(`${name} answered ${method} with ${outcome.status}, and no JSON object`);
      }
      const { error } = answer.value;
      if (error !== undefined && error !== null) {
        return missing(`${name} refused ${method}: ${asOneLine(String(member(error, 'message')))}`);
      }
      return 'result' in answer.value
        ? found(answer.value['result'])
        : missing(`${name} answered ${method} with neither result nor error`);
    },
  };
}

/** A quantity of JSON-RPC: hex without leading zeros, read leniently. */
export function quantityOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;
}

export function isSameHex(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}
