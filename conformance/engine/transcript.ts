import { decodeBase64, decodeJson } from '../wire/base64-json.ts';
import type { Exchange } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';
import type { Secrets } from '../wire/secrets.ts';

/** An exchange for the report: without keys, signatures and the target's clock. */
export type EvidenceEntry = {
  readonly number: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly failure?: string;
};

/** The transcript truncates longer bodies. */
const bodyCharactersMax = 4_000;
/** These headers differ in every run and do not matter. */
const headersLeftOut = new Set(['date', 'connection', 'keep-alive']);

export function writeDown({ number, request, outcome }: Exchange, secrets: Secrets): EvidenceEntry {
  const text = (value: string) => secrets.redact(value, bodyCharactersMax);
  const headers = (entries: Iterable<readonly [string, string]>) =>
    Object.fromEntries(
      [...entries]
        .filter(([name]) => !headersLeftOut.has(name))
        .map(([name, value]) => [secrets.redact(name), headerText(value, secrets)]),
    );
  return {
    number,
    request: {
      method: request.method,
      url: request.url,
      headers: headers(Object.entries(request.headers)),
      body: request.body === undefined ? null : text(request.body),
    },
    ...(outcome.kind === 'response'
      ? { response: { status: outcome.status, headers: headers(outcome.headers), body: text(outcome.body) } }
      : { failure: outcome.reason }),
  };
}

/** Redacts a header value. Reports show decoded base64, so secrets inside base64 are replaced too. */
function headerText(value: string, secrets: Secrets): string {
  const redacted = secrets.redact(value);
  const bytes = decodeBase64(redacted);
  if (!bytes.ok) return redacted;
  const text = bytes.value.toString('utf8');
  const read = decodeJson(bytes.value);
  // JSON can escape any character, so the value is also redacted as the suite writes JSON.
  const said = read.ok ? jsonText(read.value) : text;
  const isSecret = [text, said].some((shown) => secrets.redact(shown) !== shown);
  return isSecret ? Buffer.from(secrets.redact(said)).toString('base64') : redacted;
}
