/** An HTTP address that is called, and what in it must not be repeated. */
export type Endpoint = {
  readonly origin: string;
  readonly pathname: string;
  /** With its question mark; empty where there is none. */
  readonly search: string;
  /** The `Authorization` that user and password of the URL make; null where it has none. */
  readonly authorization: string | null;
  /** Blanks whatever in the URL may be a key, should the other side repeat it in its own words. */
  redact(text: string): string;
};

/** Takes a URL apart that may carry credentials as user, path or query. Null when it is not one of HTTP. */
export function parseEndpoint(text: string): Endpoint | null {
  // `new URL` puts the whole text into its error, so that error goes no further.
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const credentials = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    origin: url.origin,
    pathname: url.pathname,
    search: url.search,
    authorization: credentials === ':' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    redact: redactor(url),
  };
}

/** A short path such as `/rpc` or `/v2` is no secret, and to blank it would make messages unreadable. */
const secretLengthMin = 8;

function redactor(url: URL): (text: string) => string {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  const secrets = [...parts, ...parts.map(decoded)]
    .filter((part) => part.length >= secretLengthMin || (part !== '' && part === url.password))
    // The longest first, lest a part of it be blanked and the rest left to read.
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
