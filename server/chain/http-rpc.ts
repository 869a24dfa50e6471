import { Pool } from 'undici';
import { fail, type Result } from '../vocabulary/result.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { readRpcAnswer } from './rpc-answer.ts';

/** Connections kept open to one node. A node answers in milliseconds, so that few carry many calls. */
const connectionsMax = 16;
/** Calls on the way at once, those that wait for a connection included; the next one is refused at once. */
const callsInFlightMax = 1024;
/** A node that is up accepts a connection well within this. */
const connectTimeoutMsMax = 3_000;

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
  const pool = new Pool(endpoint.origin, {
    connections: connectionsMax,
    connect: { timeout: Math.min(timeoutMs, connectTimeoutMsMax) },
    maxResponseSize: answerBytesMax,
    allowH2: false,
  });
  let lastId = 0;
  let callsInFlight = 0;
  let closed: Promise<void> | null = null;

  return {
    async call<T>(method: string, params: readonly unknown[], options: CallOptions = {}) {
      const id = ++lastId;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      if (callsInFlight >= callsInFlightMax) return unavailable<T>('too many calls are on the way');
      const deadline = openDeadline(options.timeoutMs ?? timeoutMs, options.signal);
      callsInFlight += 1;
      try {
        const answer = await pool.request({
          path: endpoint.path,
          method: 'POST',
          headers: endpoint.headers,
          body,
          signal: deadline.signal,
        });
        const text = await answer.body.text();
        return readRpcAnswer<T>({ status: answer.statusCode, text, id, redact: endpoint.redact });
      } catch (error) {
        return unavailable<T>(deadline.reason() ?? networkReason(error, answerBytesMax));
      } finally {
        callsInFlight -= 1;
        deadline.close();
      }
    },
    close() {
      closed ??= pool.close();
      return closed;
    },
  };
}

type CallOptions = { timeoutMs?: number; signal?: AbortSignal };

function unavailable<T>(message: string): Result<T, RpcFault> {
  return fail({ kind: 'unavailable', message });
}

type Deadline = { signal: AbortSignal; reason(): string | null; close(): void };

/** One signal for "too late" and "no longer wanted", that leaves no listener behind on the caller's own signal. */
function openDeadline(timeoutMs: number, wanted: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let reason: string | null = null;
  const end = (why: string) => {
    reason ??= why;
    controller.abort();
  };
  const cancel = () => end('the caller no longer waits');
  const timer = setTimeout(() => end(`no answer within ${timeoutMs} ms`), timeoutMs);
  if (wanted?.aborted) cancel();
  wanted?.addEventListener('abort', cancel);
  return {
    signal: controller.signal,
    reason: () => reason,
    close() {
      clearTimeout(timer);
      wanted?.removeEventListener('abort', cancel);
    },
  };
}

/**
 * Only the code of a network fault is told: the message beside it may name the host, and some providers put the
 * account into the host name.
 */
function networkReason(error: unknown, answerBytesMax: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return `the answer is larger than ${answerBytesMax} bytes`;
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'no connection in time';
    default:
      return typeof code === 'string' ? `no connection to the node (${code})` : 'no connection to the node';
  }
}

type Endpoint = {
  readonly origin: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  redact(text: string): string;
};

function parseEndpoint(text: string): Endpoint {
  // `new URL` puts the whole text into its error, so that error goes no further.
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('the RPC URL is not one that starts with http:// or https://');
  }
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(credentials === ':'
        ? {}
        : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    redact: redactor(url),
  };
}

/** A short path such as `/rpc` or `/v2` is no secret, and to blank it would make messages unreadable. */
const secretLengthMin = 8;

/** Blanks whatever in the URL may be a key, should a node repeat it in its own words. */
function redactor(url: URL): (text: string) => string {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  const secrets = [...parts, ...parts.map(decoded)]
    .filter((part) => part.length >= secretLengthMin || (part !== '' && part === url.password))
    // The longest first, lest a part of it be blanked and the rest left to read.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '[redacted]'), text);
}

/** A lone percent sign is allowed in a URL and stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
