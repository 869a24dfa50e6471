import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { ProxyError } from './error.ts';

/** Names of this machine in a `Host` header, each with any port. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?$/i;

/**
 * Refuses requests that are not of a tool with the access token (D-292): pages of a browser, names that resolve to
 * this machine, and other users. Null for a request that may pay.
 */
export function findRefusal(headers: IncomingHttpHeaders, accessToken: string): ProxyError | null {
  if (!loopbackHost.test(headers.host ?? '')) {
    const message = 'The Host header must be localhost or 127.0.0.1.';
    return { status: 403, type: 'permission_error', code: 'host_not_allowed', message };
  }
  // The proxy has no pages, so each Origin is foreign.
  if (headers.origin !== undefined || headers['sec-fetch-site'] === 'cross-site') {
    const message = 'The proxy serves no pages of a browser. Use a tool that sends no Origin header.';
    return { status: 403, type: 'permission_error', code: 'origin_not_allowed', message };
  }
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (timingSafeEqual(hash(given), hash(accessToken))) return null;
  const message = 'The access token is missing or wrong. Use the access token of the proxy as API key.';
  return { status: 401, type: 'authentication_error', code: 'invalid_api_key', message };
}

/** Hashes have one length, so the comparison shows nothing about the token. */
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
