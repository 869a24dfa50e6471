import { Pool } from 'undici';
import { fail, ok, type Result } from '../types/result.ts';
import { openDeadline } from './deadline.ts';

type HttpCall = {
  readonly method: 'GET' | 'POST';
  /** With the query, if there is one. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Limits the whole call, from waiting for a connection to the last byte of the response. */
  readonly timeoutMs: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
};

export type HttpResponse = { readonly status: number; readonly text: string };

/** Calls one HTTP server over kept connections. */
export type HttpCaller = {
  /** Sends the request at most once. The fault says why there is no response, without the address. */
  call(call: HttpCall): Promise<Result<HttpResponse, string>>;
  /** Closes the connections after their calls have ended; the deadlines limit the wait. May be called again. */
  close(): Promise<void>;
};

/** Concurrent calls, including those that wait for a connection. Further calls fail at once. */
const callsInFlightMax = 1_024;
/** A server that is up accepts a connection well within this time. */
const connectTimeoutMsMax = 3_000;

const tooLarge = 'the response is larger than';

/** Whether a fault is that of a response above the limit. */
export function isTooLarge(fault: string): boolean {
  return fault.startsWith(tooLarge);
}

/** `responseBytesMax` limits the response in memory. Messages use the name in `server`. */
export function createHttpCaller({
  origin,
  server,
  connections,
  timeoutMs,
  responseBytesMax,
}: {
  readonly origin: string;
  readonly server: string;
  readonly connections: number;
  /** The longest timeout of any call. */
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
}): HttpCaller {
  const pool = new Pool(origin, {
    connections,
    connect: { timeout: Math.min(timeoutMs, connectTimeoutMsMax) },
    // The deadline of each call limits both.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: responseBytesMax,
    allowH2: false,
  });
  let callsInFlight = 0;
  let closed: Promise<void> | null = null;

  return {
    async call({ timeoutMs, signal, ...request }) {
      if (callsInFlight >= callsInFlightMax) return fail('too many calls are in progress');
      const deadline = openDeadline(timeoutMs, signal);
      callsInFlight += 1;
      try {
        const response = await pool.request({ ...request, signal: deadline.signal });
        return ok({ status: response.statusCode, text: await response.body.text() });
      } catch (error) {
        return fail(deadline.reason() ?? networkReason(error));
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

  /**
   * Returns only the code of a network fault. The message may contain the host, and some providers put the
   * account into the host name.
   */
  function networkReason(error: unknown): string {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    switch (code) {
      case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
        return `${tooLarge} ${responseBytesMax} bytes`;
      case 'UND_ERR_CONNECT_TIMEOUT':
        return 'no connection in time';
      default:
        return typeof code === 'string'
          ? `no connection to ${server} (${code})`
          : `no connection to ${server}`;
    }
  }
}
