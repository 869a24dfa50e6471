import { Pool } from 'undici';
import { fail, ok, type Result } from '../../types/result.ts';
import { type Deadline, openDeadline } from '../deadline.ts';
import type { Engine, EngineUpstream, InferenceFault } from '../engine.ts';
import { readAnswer } from './answer.ts';
import { upstreamRequest } from './request.ts';

export type OpenAiEngineOptions = {
  /** Of the upstream, up to and without `/chat/completions`; http or https. */
  readonly baseUrl: string;
  /** The model's name there. */
  readonly model: string;
  /** Whether it is there. */
  readonly upstream?: EngineUpstream;
  readonly apiKey?: string;
  readonly connectTimeoutMs: number;
  /** Until the first byte of the answer, which for a model is nearly the whole time. */
  readonly headersTimeoutMs: number;
  readonly answerBytesMax: number;
  /** Requests on the way at once, one on each connection; the next one is refused as overloaded, none waits. */
  readonly connections: number;
};

/**
 * Runs a model on a server that speaks the OpenAI interface. Nothing is ever sent twice: a fault costs the caller
 * nothing (D-22), so that trying again is the caller's to decide. Faults: `overloaded` when the upstream says so or
 * every connection is busy, `timeout`, `cancelled`, else `failed`. Their detail holds neither prompt, answer nor key.
 * Throws when the base URL is not one of HTTP.
 */
export function createOpenAiEngine(options: OpenAiEngineOptions): Engine {
  const { model, apiKey, connectTimeoutMs, headersTimeoutMs, answerBytesMax, connections } = options;
  const { origin, basePath } = parseBaseUrl(options.baseUrl);
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    // The deadline of the inference bounds the whole exchange, and the body with it.
    bodyTimeout: 0,
    maxResponseSize: answerBytesMax,
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
        const read = await readAnswer(task, answered.value, deadline.signal);
        return read.ok ? read : fail({ kind: 'failed', detail: read.fault });
      } catch (error) {
        return fail(faultOf(error, deadline, options));
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

  /** The body of an answer that may be a completion. Throws what the connection throws. */
  async function exchange(
    path: string,
    body: string,
    signal: AbortSignal,
  ): Promise<Result<string, InferenceFault>> {
    signal.throwIfAborted();
    const answer = await pool.request({ path, method: 'POST', headers, body, signal });
    const { statusCode } = answer;
    const contentType = String(answer.headers['content-type'] ?? '');
    if (statusCode < 200 || statusCode > 299 || !jsonType.test(contentType)) {
      // Whatever else it says is not read, be it endless: the connection ends here, and the next request opens another.
      answer.body.on('error', () => {}).destroy();
      const detail = `the upstream answered ${statusCode} with ${jsonType.test(contentType) ? '' : 'something other than '}JSON`;
      return fail({ kind: kindOfStatus(statusCode), detail });
    }
    return ok(await answer.body.text());
  }
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
function kindOfStatus(status: number): InferenceFault['kind'] {
  if (status === 429 || status === 503) return 'overloaded';
  return status === 408 || status === 504 ? 'timeout' : 'failed';
}

/** Only codes of network faults are told: a message may name the host, and what was sent. */
function faultOf(
  error: unknown,
  deadline: Deadline,
  { connectTimeoutMs, headersTimeoutMs, answerBytesMax }: OpenAiEngineOptions,
): InferenceFault {
  const ended = deadline.fault();
  if (ended !== null) return ended;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { kind: 'timeout', detail: `no connection to the upstream within ${connectTimeoutMs} ms` };
    case 'UND_ERR_HEADERS_TIMEOUT':
      return { kind: 'timeout', detail: `no answer of the upstream within ${headersTimeoutMs} ms` };
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return { kind: 'failed', detail: `the answer is larger than ${answerBytesMax} bytes` };
    default:
      // What has no code is no network fault but a defect of ours.
      if (typeof code !== 'string') throw error;
      return { kind: 'failed', detail: `the exchange with the upstream broke (${code})` };
  }
}

function parseBaseUrl(text: string): { readonly origin: string; readonly basePath: string } {
  // `new URL` puts the whole text into its error, so that error goes no further.
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('the base URL of an upstream is not one that starts with http:// or https://');
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
