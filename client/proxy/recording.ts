/** A response whose body is read to its end, also when its reader leaves. */
export type Recording = {
  readonly status: number;
  readonly headers: Headers;
  /** Resolves at the end of the body, to whether it is whole. */
  readonly ended: Promise<boolean>;
  /** Reads the body from its beginning, and waits for what has not arrived. Throws when the body breaks. */
  read(): AsyncGenerator<Uint8Array, void, void>;
};

export function record({ status, headers, body }: Response): Recording {
  const parts: Uint8Array[] = [];
  let more = Promise.withResolvers<void>();
  let end: { readonly fault: unknown } | null = null;
  const notify = () => {
    more.resolve();
    more = Promise.withResolvers();
  };

  async function readAll(): Promise<boolean> {
    try {
      // The paying fetch limits the length.
      for await (const part of body ?? []) {
        parts.push(part);
        notify();
      }
      end = { fault: null };
    } catch (fault) {
      end = { fault };
    }
    notify();
    return end.fault === null;
  }

  return {
    status,
    headers,
    ended: readAll(),
    async *read() {
      for (let at = 0; ; ) {
        for (let part = parts[at]; part !== undefined; part = parts[++at]) yield part;
        if (end === null) await more.promise;
        else if (end.fault === null) return;
        else throw end.fault;
      }
    },
  };
}
