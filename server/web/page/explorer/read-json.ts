import { link } from '../root.ts';

/** The response of the gateway to a lookup: its JSON, or a sentence for the visitor. */
export type Lookup<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

const timeoutMs = 15_000;

/** Reads JSON of the gateway. Throws when the gateway does not respond. */
export async function readJson<T>(path: string): Promise<Lookup<T>> {
  const response = await fetch(link(path), {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return { ok: true, value: body as T };
  const message = Reflect.get(Object(Reflect.get(Object(body), 'error')), 'message');
  return {
    ok: false,
    message: typeof message === 'string' ? message : `The gateway returned ${response.status}.`,
  };
}
