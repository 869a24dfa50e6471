const mask = '***';

/**
 * Hides every part of a URL that may be a key: user, password, long parts of host and path, and query values.
 */
export function maskUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  const before = url.href;
  if (url.username !== '') url.username = mask;
  if (url.password !== '') url.password = mask;
  url.hostname = maskParts(url.hostname, '.', isKeyInHost);
  url.pathname = maskParts(url.pathname, '/', isKeyInPath);
  url.search = url.search.slice(1).split('&').map(maskPair).join('&');
  if (url.hash !== '') url.hash = mask;
  // A URL without a secret stays as written, because the parser may format it differently.
  return url.href === before ? text : url.href;
}

function maskParts(text: string, separator: string, isKey: (part: string) => boolean): string {
  return text
    .split(separator)
    .map((part) => (isKey(part) ? mask : part))
    .join(separator);
}

/** Names of networks and versions are shorter or have no digit. */
function isKeyInPath(part: string): boolean {
  return part.length >= 16 || (part.length >= 8 && /\d/.test(part));
}

function isKeyInHost(part: string): boolean {
  return /^(?=.*\d)[a-z0-9]{20,}$/.test(part);
}

function maskPair(pair: string): string {
  if (pair === '') return '';
  const at = pair.indexOf('=');
  return at < 0 ? mask : `${pair.slice(0, at)}=${mask}`;
}
