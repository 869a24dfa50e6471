import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { fail, ok, type Result } from '../../types/result.ts';
import { absent, failed, type ReportFault } from './provider.ts';

/** A helper on this machine: behind a Unix socket, or on a port of the loopback interface. */
export type LocalServer = { readonly socket: string } | { readonly url: string };

export type LocalCall = {
  readonly server: LocalServer;
  readonly method: 'GET' | 'POST';
  /** With the query, if there is one. */
  readonly path: string;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: object | string;
  /** Ends the call, to the last byte of the answer: `AbortSignal.timeout` of all calls that one report takes. */
  readonly deadline: AbortSignal;
};

export type LocalAnswer = { readonly status: number; readonly text: string };

/** An event log may have some hundred kB. */
export const answerBytesMax = 1_048_576;

/**
 * Calls a helper once, on a connection of its own. No answer is a fault, in words that name the helper's address; nobody
 * listening there means that it is absent. Of an `https` helper no certificate is checked: it is this machine, and what
 * it answers is signed evidence that must carry our report data.
 */
export function callLocal(call: LocalCall): Promise<Result<LocalAnswer, ReportFault>> {
  const { server, method, path, body, deadline } = call;
  const where = 'socket' in server ? server.socket : server.url;
  const target = targetOf(server, path);
  const content = typeof body === 'object' ? JSON.stringify(body) : body;
  const contentType = typeof body === 'object' ? 'application/json' : 'text/plain';

  return new Promise((resolve) => {
    const giveUp = (cause: NodeJS.ErrnoException) => resolve(fail(faultOf(cause, deadline, where)));
    const request = target.request(
      {
        ...target.address,
        method,
        path: target.path,
        // No connection outlives its call: the next may come in an hour.
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
          resolve(fail(failed(`the answer of ${where} is larger than ${answerBytesMax} bytes`)));
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

function targetOf(server: LocalServer, path: string) {
  if ('socket' in server) {
    const address = { socketPath: server.socket };
    return { request: requestPlain, address, path, host: 'localhost' };
  }
  const url = new URL(server.url);
  const isSecure = url.protocol === 'https:';
  // An address in brackets is how a URL writes IPv6, not how a socket takes it.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const address = { host, port, rejectUnauthorized: false };
  const base = url.pathname.replace(/\/+$/, '');
  return { request: isSecure ? requestSecure : requestPlain, address, path: base + path, host: url.host };
}

const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function faultOf(cause: NodeJS.ErrnoException, deadline: AbortSignal, where: string): ReportFault {
  if (deadline.aborted) return failed(`no answer from ${where} in time`);
  const code = cause.code ?? 'unknown';
  return nobodyThere.has(code)
    ? absent(`nobody listens at ${where} (${code})`)
    : failed(`no answer from ${where} (${code})`);
}
