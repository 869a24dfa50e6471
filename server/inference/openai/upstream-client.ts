import { type Dispatcher, errors, Pool } from 'undici';
import type { Deadline } from '../deadline.ts';
import type { InferenceFault, InferenceLimits, InferenceTask } from '../engine.ts';
import { EventFault } from './events.ts';
import { upstreamRequest } from './request.ts';

export type OpenAiEngineOptions = {
  /** The upstream's URL up to, and without, `/chat/completions`; http or https. */
  readonly baseUrl: string;
  /** The upstream's name of the model. */
  readonly model: string;
  readonly apiKey?: string;
  readonly connectTimeoutMs: number;
  /** The time until the first byte of the response, which for a model is nearly the whole time. */
  readonly headersTimeoutMs: number;
  readonly responseBytesMax: number;
  /** The largest event of a streamed response. */
  readonly eventBytesMax: number;
  /** The longest time between two parts of a streamed response. */
  readonly idleTimeoutMs: number;
  /** The most concurrent requests, one on each connection. The engine rejects the next one as overloaded. */
  readonly connections: number;
};

export type ResponseBody = Dispatcher.ResponseData['body'];

/** A response to a request: its unread body, or why it cannot be a completion. */
type Sent<IsStreamed> =
  | { readonly kind: 'json'; readonly body: ResponseBody }
  | { readonly kind: 'refused'; readonly status: number; readonly fault: InferenceFault }
  | (IsStreamed extends true ? { readonly kind: 'events'; readonly body: ResponseBody } : never);

/** The connections to one upstream. */
export type UpstreamClient = {
  /** Sends a task once. Throws the errors of the connection. */
  send<IsStreamed extends boolean>(
    task: InferenceTask,
    isStreamed: IsStreamed,
    signal: AbortSignal,
    headers?: InferenceLimits['headers'],
  ): Promise<Sent<IsStreamed>>;
  close(): Promise<void>;
};

/** Throws for an invalid base URL. */
export function createUpstreamClient(options: OpenAiEngineOptions): UpstreamClient {
  const { model, apiKey, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs } = options;
  const { responseBytesMax, connections } = options;
  const { origin, basePath } = parseBaseUrl(options.baseUrl);
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    // The deadline of the inference limits the whole exchange, including the body.
    bodyTimeout: 0,
    maxResponseSize: responseBytesMax,
    allowH2: false,
  });
  const headers = {
    'content-type': 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  let closed: Promise<void> | null = null;

  return {
    async send(task, isStreamed, signal, more) {
      signal.throwIfAborted();
      const { path, body } = upstreamRequest(task, model, isStreamed);
      const response = await pool.request({
        path: basePath + path,
        method: 'POST',
        headers: {
          ...more,
          ...headers,
          accept: isStreamed ? 'text/event-stream, application/json' : 'application/json',
        },
        body,
        signal,
        ...(isStreamed && { bodyTimeout: idleTimeoutMs }),
      });
      const { statusCode: status } = response;
      const contentType = String(response.headers['content-type'] ?? '');
      const isOk = status >= 200 && status <= 299;
      if (isOk && jsonType.test(contentType)) return { kind: 'json', body: response.body };
      if (isOk && isStreamed && eventsType.test(contentType))
        return { kind: 'events', body: response.body } as Sent<typeof isStreamed>;
      // The body is not read, because it may be endless. The connection ends here, and the next request opens
      // another.
      response.body.on('error', () => {}).destroy();
      const detail = `the upstream responded ${status} with ${jsonType.test(contentType) ? '' : 'something other than '}JSON`;
      return { kind: 'refused', status, fault: { ...readFault(status), detail } };
    },
    close() {
      closed ??= pool.close();
      return closed;
    },
  };
}

const eventsType = /^text\/event-stream\s*(?:;|$)/i;
const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** With one of these statuses a server refuses every request: its key is rejected, or it has no such model. */
const refusesAll: ReadonlySet<number> = new Set([401, 402, 403, 404, 407]);
/** The status of a proxy whose server is away. */
const badGateway = 502;

function readFault(status: number): Omit<InferenceFault, 'detail'> {
  if (status === 429 || status === 503) return { kind: 'overloaded' };
  if (status === 408 || status === 504) return { kind: 'timeout' };
  if (status >= 500 && status !== badGateway) return { kind: 'failed', mayBeOfRequest: true };
  const isOfRequest = status >= 400 && status <= 499 && !refusesAll.has(status);
  return { kind: 'failed', ...(isOfRequest && { isOfRequest }) };
}

/** Names only the code of a network fault: its message may contain the host and the request. */
export function describeFault(
  error: unknown,
  deadline: Deadline,
  { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, responseBytesMax }: OpenAiEngineOptions,
): InferenceFault {
  const ended = deadline.fault();
  if (ended !== null) return ended;
  if (error instanceof EventFault) return { kind: 'failed', detail: error.message, mayBeOfRequest: true };
  // It has no code, and holds bytes of the response.
  if (error instanceof errors.HTTPParserError)
    return { kind: 'failed', detail: 'the response of the upstream is not valid HTTP' };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { kind: 'timeout', detail: `no connection to the upstream within ${connectTimeoutMs} ms` };
    case 'UND_ERR_HEADERS_TIMEOUT':
      return { kind: 'timeout', detail: `no response of the upstream within ${headersTimeoutMs} ms` };
    case 'UND_ERR_BODY_TIMEOUT':
      return { kind: 'timeout', detail: `nothing came from the upstream for ${idleTimeoutMs} ms` };
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return {
        kind: 'failed',
        detail: `the response is larger than ${responseBytesMax} bytes`,
        mayBeOfRequest: true,
      };
    default:
      // An error without a code is not a network fault but a defect.
      if (typeof code !== 'string') throw error;
      return { kind: 'failed', detail: `the connection to the upstream broke (${code})` };
  }
}

function parseBaseUrl(text: string): { readonly origin: string; readonly basePath: string } {
  // The error of `new URL` contains the whole text, so it is not used.
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('the base URL of an upstream must start with http:// or https://');
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
