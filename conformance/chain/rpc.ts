import { type Found, found, missing } from '../types/found.ts';
import { decodeJson, isObject, member } from '../wire/base64-json.ts';
import { asOneLine } from '../wire/one-line.ts';
import { exchange, type WireLimits } from '../wire/wire.ts';

/** Read access to a node of a network. */
export type Rpc = {
  /**
   * Returns the result of a call, or the reason why there is none. A fault of the node is never a fault of the
   * target.
   */
  call(method: string, params: readonly unknown[]): Promise<Found<unknown>>;
};

/**
 * JSON-RPC over HTTP. The URL may contain credentials, so messages use `name` instead. The calls are not part
 * of the transcript, because they do not go to the target.
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
        return missing(`${name} gave no response to ${method}: ${outcome.reason}`);
      const response = decodeJson(Buffer.from(outcome.body));
      if (!response.ok || !isObject(response.value)) {
        return missing(`${name} returned ${outcome.status} without a JSON object for ${method}`);
      }
      const { error } = response.value;
      if (error !== undefined && error !== null) {
        return missing(
          `${name} returned an error for ${method}: ${asOneLine(String(member(error, 'message')))}`,
        );
      }
      return 'result' in response.value
        ? found(response.value['result'])
        : missing(`${name} returned neither result nor error for ${method}`);
    },
  };
}

/** Parses a JSON-RPC quantity in hex, also with leading zeros. */
export function parseQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]+$/.test(value) ? BigInt(value) : undefined;
}

export function isSameHex(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}
