import { Client } from 'undici';
import { fail, ok, type Result } from '../../types/result.ts';
import { absent, failed, type ReportFault } from './provider.ts';

/** A helper on this machine: behind a Unix socket, or on a port of the loopback interface. */
export type LocalServer = { readonly socket: string } | { readonly url: string };

export type LocalCall = {
  readonly server: LocalServer;
  readonly method: 'GET' | 'POST';
  /** The path with its query, if any. */
  readonly path: string;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: object | string;
  /**
   * Ends the call, up to the last byte of the response: one `AbortSignal.timeout` for all calls of a report.
   */
  readonly deadline: AbortSignal;
};

export type LocalResponse = { readonly status: number; readonly text: string };

/** The most bytes of a response. An event log may have some hundred kB. */
export const responseBytesMax = 1_048_576;

/**
 * Calls a helper once, on a new connection. The fault is a sentence with the helper's address. `isAbsent` says
 * that nothing listens there. The certificate of an `https` helper is not checked: the helper runs on this
 * machine, and its evidence is signed and must carry our report data.
 */
export async function callLocal(call: LocalCall): Promise<Result<LocalResponse, ReportFault>> {
  const { server, method, path, body, deadline } = call;
  const where = 'socket' in server ? server.socket : server.url;
  const { origin, pathname } = new URL('socket' in server ? 'http://localhost' : server.url);
  const contentType = typeof body === 'object' ? 'application/json' : 'text/plain';
  const client = new Client(origin, {
    ...('socket' in server && { socketPath: server.socket }),
    connect: { rejectUnauthorized: false, timeout: 0 },
    // The deadline limits all phases of the call.
    headersTimeout: 0,
    bodyTimeout: 0,
    // The next call may be an hour away, so the connection is not kept.
    pipelining: 0,
    maxResponseSize: responseBytesMax,
    allowH2: false,
  });
  try {
    const response = await client.request({
      method,
      path: pathname.replace(/\/+$/, '') + path,
      ...(body !== undefined && {
        headers: { 'content-type': contentType },
        body: typeof body === 'object' ? JSON.stringify(body) : body,
      }),
      signal: deadline,
    });
    return ok({ status: response.statusCode, text: await response.body.text() });
  } catch (cause) {
    return fail(describeFault(cause as NodeJS.ErrnoException, deadline, where));
  } finally {
    await client.destroy();
  }
}

const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function describeFault(cause: NodeJS.ErrnoException, deadline: AbortSignal, where: string): ReportFault {
  if (deadline.aborted) return failed(`no response from ${where} in time`);
  const code = cause.code ?? cause.name;
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return failed(`the response of ${where} is larger than ${responseBytesMax} bytes`);
  return nobodyThere.has(code)
    ? absent(`nothing listens at ${where} (${code})`)
    : failed(`no response from ${where} (${code})`);
}
