import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Whose allowance a request takes from (D-62). Each proxy appends the address that it was called from to
 * `X-Forwarded-For`, so of the entries that our own proxies made the first is the client; what stands before them is
 * whatever the client wrote, and without a proxy of ours the whole header is.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const caller = request.socket.remoteAddress ?? '';
  const header = request.headers['x-forwarded-for'];
  if (trustedProxies === 0 || header === undefined) return caller;
  const entries = [header].flat().join(',').split(',');
  const [first = ''] = entries.slice(-trustedProxies);
  return bareAddress(first.trim()) ?? caller;
}

/** Some proxies append the port too, and each connection would have an allowance of its own. Null for no address. */
function bareAddress(entry: string): string | null {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1];
  const address = bracketed ?? entry.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/, '$1');
  return isIP(address) === 0 ? null : address;
}
