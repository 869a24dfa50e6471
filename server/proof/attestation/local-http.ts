import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
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

export type LocalAnswer = { readonly status: number; readonly text: string };

/** The most bytes of a response. An event log may have some hundred kB. */
export const answerBytesMax = 1_048_576;

/**
 * Calls a helper once, on a new connection. The fault is a sentence with the helper's address. `isAbsent` says
 * that nothing listens there. The certificate of an `https` helper is not checked: the helper runs on this
 * machine, and its evidence is signed and must carry our report data.
 */
export function callLocal(call: LocalCall): Promise<Result<LocalAnswer, ReportFault>> {
  const { server, method, path, body, deadline } = call;
  const where = 'socket' in server ? server.socket : server.url;
  const target = resolveTarget(server, path);
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const contentType = typeof body === 'object' ? 'application/json' : 'text/plain';

  return new Promise((resolve) => {
    const giveUp = (cause: NodeJS.ErrnoException) => resolve(fail(describeFault(cause, deadline, where)));
    const request = target.request(
      {
        ...target.address,
        method,
        path: target.path,
        // The next call may be an hour away, so the connection is not kept.
        agent: false,
        signal: deadline,
        headers: {
          host: target.host,
          ...(content !== undefined && {
            'content-type': contentType,
            'content-length': Buffer.byteLength(content),
          }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= answerBytesMax) return;
          resolve(fail(failed(`the response of ${where} is larger than ${answerBytesMax} bytes`)));
          request.destroy();
        });
        response.on('error', giveUp);
        response.on('end', () =>
          resolve(ok({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() })),
        );
      },
    );
    request.on('error', giveUp);
    request.end(content);
  });
}

function resolveTarget(server: LocalServer, path: string) {
  if ('socket' in server) {
    const address = { socketPath: server.socket };
    return { request: requestPlain, address, path, host: 'localhost' };
  }
  const url = new URL(server.url);
  const isSecure = url.protocol === 'https:';
  // A URL writes an IPv6 address in brackets, a socket takes it without.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const address = { host, port, rejectUnauthorized: false };
  const base = url.pathname.replace(/\/+$/, '');
  return { request: isSecure ? requestSecure : requestPlain, address, path: base + path, host: url.host };
}

const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function describeFault(cause: NodeJS.ErrnoException, deadline: AbortSignal, where: string): ReportFault {
  if (deadline.aborted) return failed(`no response from ${where} in time`);
  const code = cause.code ?? 'unknown';
  return nobodyThere.has(code)
    ? absent(`nothing listens at ${where} (${code})`)
    : failed(`no response from ${where} (${code})`);
}
