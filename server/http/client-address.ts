import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * The client address that the rate limit counts (D-62). Each proxy appends the address of its caller to
 * `X-Forwarded-For`. With n trusted proxies the n-th entry from the end is the client. The client can forge all
 * entries before it, and the whole header if no proxy is trusted.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const caller = request.socket.remoteAddress ?? '';
  const header = request.headers['x-forwarded-for'];
  if (trustedProxies === 0 || header === undefined) return caller;
  const entries = [header].flat().join(',').split(',');
  const [first = ''] = entries.slice(-trustedProxies);
  const address = bareAddress(first.trim());
  // A part of the header would keep all of it in memory, as the key of a limit.
  return address === null ? caller : Buffer.from(address).toString();
}

/**
 * Some proxies append the port, which would give each connection its own rate limit. Null if `entry` has no
 * address.
 */
function bareAddress(entry: string): string | null {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1];
  const address = bracketed ?? entry.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, '$1');
  return isIP(address) === 0 ? null : address;
}
