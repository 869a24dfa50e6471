import { decodeBase64, decodeJson } from '../wire/base64-json.ts';
import type { Exchange } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';
import type { Secrets } from '../wire/secrets.ts';

/** An exchange as it may be written down: no key, no signature, no clock of the target. */
export type EvidenceEntry = {
  readonly number: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  readonly answer?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  readonly failure?: string;
};

/** Longer bodies are cut in the transcript. */
const bodyCharactersMax = 4_000;
/** Different in every run, and of no consequence. */
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
    ...(outcome.kind === 'answer'
      ? { answer: { status: outcome.status, headers: headers(outcome.headers), body: text(outcome.body) } }
      : { failure: outcome.reason }),
  };
}

/** Reports show what base64 says, so that a secret in what it says is replaced too, and it is base64 of the rest. */
function headerText(value: string, secrets: Secrets): string {
  const redacted = secrets.redact(value);
  const bytes = decodeBase64(redacted);
  if (!bytes.ok) return redacted;
  const text = bytes.value.toString('utf8');
  const read = decodeJson(bytes.value);
  // As it would be written again: JSON can escape any character.
  const said = read.ok ? jsonText(read.value) : text;
  const isSecret = [text, said].some((shown) => secrets.redact(shown) !== shown);
  return isSecret ? Buffer.from(secrets.redact(said)).toString('base64') : redacted;
}
