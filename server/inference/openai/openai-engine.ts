import { Pool } from 'undici';
import { fail, ok, type Result } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type { Engine, EngineUpstream, InferenceFault } from '../engine.ts';
import { readCompletion } from './completion.ts';
import { openAiFields, upstreamRequest } from './request.ts';

export type OpenAiEngineOptions = {
  /** The upstream's URL up to, and without, `/chat/completions`; http or https. */
  readonly baseUrl: string;
  /** The upstream's name of the model. */
  readonly model: string;
  /** The probe of the upstream. */
  readonly upstream?: EngineUpstream;
  readonly apiKey?: string;
  readonly connectTimeoutMs: number;
  /** The time until the first byte of the response, which for a model is nearly the whole time. */
  readonly headersTimeoutMs: number;
  readonly responseBytesMax: number;
  /** The most concurrent requests, one on each connection. The engine rejects the next one as overloaded. */
  readonly connections: number;
};

/**
 * Runs a model on a server with the OpenAI interface. Sends no request twice: a fault costs the client nothing
 * (D-22), so the client decides on a retry. Faults: `overloaded` when the upstream returns it or every
 * connection is busy, `timeout`, `cancelled`, else `failed`. Their detail contains neither prompt, completion
 * nor key. Throws for an invalid base URL.
 */
export function createOpenAiEngine(options: OpenAiEngineOptions): Engine {
  const { model, apiKey, connectTimeoutMs, headersTimeoutMs, responseBytesMax, connections } = options;
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
    accept: 'application/json',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  let onTheWay = 0;
  let closed: Promise<void> | null = null;

  return {
    name: 'openai',
    honours: openAiFields,
    ...(options.upstream !== undefined && { upstream: options.upstream }),
    async infer(task, limits) {
      if (onTheWay >= connections) {
        return fail({
          kind: 'overloaded',
          detail: `all ${connections} connections to the upstream are busy`,
        });
      }
      onTheWay += 1;
      const deadline = openDeadline(limits);
      try {
        const { path, body } = upstreamRequest(task, model);
        const answered = await exchange(basePath + path, body, deadline.signal);
        if (!answered.ok) return answered;
        const read = await readCompletion(task, answered.value, deadline.signal);
        return read.ok ? read : fail({ kind: 'failed', detail: read.fault });
      } catch (error) {
        return fail(describeFault(error, deadline, options));
      } finally {
        deadline.close();
        onTheWay -= 1;
      }
    },
    close() {
      closed ??= pool.close();
      return closed;
    },
  };

  /** Returns the body of a response that may be a completion. Throws the errors of the connection. */
  async function exchange(
    path: string,
    body: string,
    signal: AbortSignal,
  ): Promise<Result<string, InferenceFault>> {
    signal.throwIfAborted();
    const response = await pool.request({ path, method: 'POST', headers, body, signal });
    const { statusCode } = response;
    const contentType = String(response.headers['content-type'] ?? '');
    if (statusCode < 200 || statusCode > 299 || !jsonType.test(contentType)) {
      // The body is not read, because it may be endless. The connection ends here, and the next request opens
      // another.
      response.body.on('error', () => {}).destroy();
      const detail = `the upstream responded ${statusCode} with ${jsonType.test(contentType) ? '' : 'something other than '}JSON`;
      return fail({ kind: readFaultKind(statusCode), detail });
    }
    return ok(await response.body.text());
  }
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
function readFaultKind(status: number): InferenceFault['kind'] {
  if (status === 429 || status === 503) return 'overloaded';
  return status === 408 || status === 504 ? 'timeout' : 'failed';
}

/** Names only the code of a network fault: its message may contain the host and the request. */
function describeFault(
  error: unknown,
  deadline: Deadline,
  { connectTimeoutMs, headersTimeoutMs, responseBytesMax }: OpenAiEngineOptions,
): InferenceFault {
  const ended = deadline.fault();
  if (ended !== null) return ended;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { kind: 'timeout', detail: `no connection to the upstream within ${connectTimeoutMs} ms` };
    case 'UND_ERR_HEADERS_TIMEOUT':
      return { kind: 'timeout', detail: `no response of the upstream within ${headersTimeoutMs} ms` };
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return { kind: 'failed', detail: `the response is larger than ${responseBytesMax} bytes` };
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
