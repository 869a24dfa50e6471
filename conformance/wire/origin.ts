const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

export function isLoopback(url: string): boolean {
  return loopbackHosts.has(new URL(url).hostname);
}

/**
 * Whether two URLs have the same scheme, host and port. All names of the loopback interface count as one host.
 */
export function sameOrigin(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return readOrigin(one) === readOrigin(other);
}

/** Whether two URLs have the same origin, path and query. */
export function sameUrl(one: string, other: string): boolean {
  if (!sameOrigin(one, other)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  return a.pathname === b.pathname && a.search === b.search;
}

function readOrigin(text: string): string {
  const url = new URL(text);
  const host = loopbackHosts.has(url.hostname) ? 'loopback' : url.hostname;
  return `${url.protocol}//${host}:${url.port}`;
}
