import { isIPv6 } from 'node:net';

/** IPv4-mapped addresses, and the well-known prefix of NAT64 (RFC 6052): IPv4 clients, seen by an IPv6 socket. */
const ipv4Prefixes = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * The network that an address counts for (D-133): an IPv4 address itself, or the first 64 bits of an IPv6 address. The
 * other 64 bits are the client's own to choose, and would give it an allowance for each request.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (ipv4Prefixes.includes(written(groups.slice(0, 6))))
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${written(groups.slice(0, 4))}::/64`;
}

/** The eight numbers of 16 bits that a valid IPv6 address has. */
function groupsOf(address: string): number[] {
  const plain = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_text, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    });
  const [before = '', after] = plain.split('::');
  const head = before.split(':').filter(Boolean);
  const tail = (after ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

function written(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
