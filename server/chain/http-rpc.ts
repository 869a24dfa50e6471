import { parseEndpoint } from '../outbound/endpoint.ts';
import { createHttpCaller, isTooLarge } from '../outbound/http-caller.ts';
import { fail } from '../types/result.ts';
import type { Rpc, RpcCallOptions, RpcFault } from './rpc.ts';
import { readRpcResponse } from './rpc-response.ts';

/**
 * Connections kept open to one node. A node responds in milliseconds, so a few connections carry many calls.
 */
const connectionsMax = 24;

/** EIP-1474: a request exceeds a limit. */
const limitExceeded = -32_005;

/**
 * A list of logs that is too large is a limit, as nodes have it: a smaller range of blocks has a smaller list. It says
 * nothing about the endpoint (D-346).
 */
function nameFault(method: string, message: string): RpcFault {
  return method === 'eth_getLogs' && isTooLarge(message)
    ? { kind: 'refused', code: limitExceeded, message }
    : { kind: 'unavailable', message };
}

export type HttpRpc = Rpc & {
  /** Closes the connections after the last response or deadline. May be called again. */
  close(): Promise<void>;
};

/**
 * Creates a JSON-RPC client over HTTP for one node, with connections that are kept open. `timeoutMs` limits a
 * whole call, from the wait for a connection to the last byte of the response. `responseBytesMax` limits the size
 * of a response. The URL may carry credentials (user, path or query), and no message repeats them. Throws when
 * the URL does not start with http:// or https://.
 */
export function createHttpRpc({
  url,
  timeoutMs,
  responseBytesMax,
}: {
  readonly url: string;
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
}): HttpRpc {
  const endpoint = parseEndpoint(url);
  if (endpoint === null) throw new Error('the RPC URL does not start with http:// or https://');
  const { origin, pathname, search, authorization, redact } = endpoint;
  const caller = createHttpCaller({
    origin,
    server: 'the node',
    connections: connectionsMax,
    timeoutMs,
    responseBytesMax,
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(authorization !== null && { authorization }),
  };
  let lastId = 0;

  return {
    async call<T>(method: string, params: readonly unknown[], options: RpcCallOptions = {}) {
      const id = ++lastId;
      const response = await caller.call({
        method: 'POST',
        path: pathname + search,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        timeoutMs: options.timeoutMs ?? timeoutMs,
        signal: options.signal,
      });
      if (!response.ok) return fail(nameFault(method, response.fault));
      return readRpcResponse<T>({ ...response.value, id, redact });
    },
    close: () => caller.close(),
  };
}
