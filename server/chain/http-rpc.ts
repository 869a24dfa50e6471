import { parseEndpoint } from '../outbound/endpoint.ts';
import { createHttpCaller } from '../outbound/http-caller.ts';
import { fail } from '../types/result.ts';
import type { Rpc } from './rpc.ts';
import { readRpcAnswer } from './rpc-answer.ts';

/** Connections kept open to one node. A node answers in milliseconds, so that few carry many calls. */
const connectionsMax = 16;

export type HttpRpc = Rpc & {
  /** Ends the connections once the calls on them are answered; their deadlines bound the wait. May be called again. */
  close(): Promise<void>;
};

/**
 * Speaks JSON-RPC over HTTP to one node, on connections that are kept.
 * `timeoutMs` bounds a whole call, from waiting for a connection to the last byte of the answer; `answerBytesMax`
 * bounds what a node may make us hold. The URL may carry credentials (user, path or query): no message repeats them.
 * Throws when the URL is not one of HTTP.
 */
export function createHttpRpc({
  url,
  timeoutMs,
  answerBytesMax,
}: {
  readonly url: string;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
}): HttpRpc {
  const endpoint = parseEndpoint(url);
  if (endpoint === null) throw new Error('the RPC URL is not one that starts with http:// or https://');
  const { origin, pathname, search, authorization, redact } = endpoint;
  const caller = createHttpCaller({
    origin,
    server: 'the node',
    connections: connectionsMax,
    timeoutMs,
    answerBytesMax,
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(authorization !== null && { authorization }),
  };
  let lastId = 0;

  return {
    async call<T>(method: string, params: readonly unknown[], options: CallOptions = {}) {
      const id = ++lastId;
      const answer = await caller.call({
        method: 'POST',
        path: pathname + search,
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
        timeoutMs: options.timeoutMs ?? timeoutMs,
        signal: options.signal,
      });
      if (!answer.ok) return fail({ kind: 'unavailable', message: answer.fault });
      return readRpcAnswer<T>({ ...answer.value, id, redact });
    },
    close: () => caller.close(),
  };
}

type CallOptions = { timeoutMs?: number; signal?: AbortSignal };
