/** The response of the gateway to a lookup: its JSON, or a sentence for the visitor. */
export type Lookup<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

/** Reads JSON of the gateway. */
export async function readJson<T>(path: string): Promise<Lookup<T>> {
  const response = await fetch(path, { headers: { Accept: 'application/json' } });
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return { ok: true, value: body as T };
  const message = Reflect.get(Object(Reflect.get(Object(body), 'error')), 'message');
  return {
    ok: false,
    message: typeof message === 'string' ? message : `The gateway returned ${response.status}.`,
  };
}
