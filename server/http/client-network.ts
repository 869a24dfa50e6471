import { isIPv6 } from 'node:net';

/**
 * The prefixes of IPv4-mapped addresses and of NAT64 (RFC 6052). An IPv6 socket shows IPv4 clients with them.
 */
const ipv4Prefixes = ['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'];

/**
 * The network that the rate limit counts (D-133): an IPv4 address, or the first 64 bits of an IPv6 address. A
 * client can choose the other 64 bits for each request, and would evade the limit with them.
 */
export function clientNetwork(address: string): string {
  return prefixOf(address, 4);
}

/**
 * The site of a client (D-224): an IPv4 address, or the first 48 bits of an IPv6 address, the largest part that one
 * customer of a provider usually gets.
 */
export function clientSite(address: string): string {
  return prefixOf(address, 3);
}

/** The site of a network that `clientNetwork` returned. */
export function siteOfNetwork(network: string): string {
  const [groups, length] = network.split('::/');
  return length === '64' && groups ? `${groups.split(':').slice(0, 3).join(':')}::/48` : network;
}

function prefixOf(address: string, length: number): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const groups = parseGroups(address);
  const [high = 0, low = 0] = groups.slice(6);
  if (ipv4Prefixes.includes(formatGroups(groups.slice(0, 6))))
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${formatGroups(groups.slice(0, length))}::/${length * 16}`;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function parseGroups(address: string): number[] {
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

function formatGroups(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
