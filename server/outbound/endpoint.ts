/** The parsed URL of an HTTP endpoint, with a function that hides its secrets. */
export type Endpoint = {
  readonly origin: string;
  readonly pathname: string;
  /** With the question mark; empty for no query. */
  readonly search: string;
  /** The `Authorization` header from user and password in the URL; null without them. */
  readonly authorization: string | null;
  /** Replaces every part of the URL that may be a key, in case the other side repeats it in a message. */
  redact(text: string): string;
};

/** Parses a URL that may have credentials as user, path or query. Null if it is not an HTTP URL. */
export function parseEndpoint(text: string): Endpoint | null {
  // The error of `new URL` would contain the whole text.
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  const basic = Buffer.from(credentials).toString('base64');
  return {
    origin: url.origin,
    pathname: url.pathname,
    search: url.search,
    authorization: credentials === ':' ? null : `Basic ${basic}`,
    redact: redactor(url, basic),
  };
}

/** A shorter path segment such as `rpc` or `v2` is no secret, and hiding it would make messages unreadable. */
const secretLengthMin = 8;

/** `basic`: user and password, as the `Authorization` header has them. */
function redactor(url: URL, basic: string): (text: string) => string {
  const pairs = url.search.slice(1).split('&');
  const query = [...pairs, ...pairs.flatMap((pair) => pair.split('=')), ...[...url.searchParams].flat()];
  const parts = [url.username, url.password, basic, ...url.pathname.split('/'), ...query];
  const secrets = [...parts, ...parts.map(decoded)]
    .filter((part) => part.length >= secretLengthMin || (part !== '' && [url.password, basic].includes(part)))
    // The longest first: otherwise a shorter secret inside it would be replaced, and the rest would stay
    // readable.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '[redacted]'), text);
}

/** A lone percent sign is allowed in a URL and stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
