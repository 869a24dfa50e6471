import type { Secrets } from '../wire/secrets.ts';
import type { Exchange } from '../wire/session.ts';

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
        .map(([name, value]) => [name, secrets.redact(value)]),
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
