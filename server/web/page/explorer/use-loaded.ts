import { useEffect, useState } from 'preact/hooks';

export type Loading<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

/** Loads a value once, when the view appears. */
export function useLoaded<T>(load: () => Promise<T>): Loading<T> {
  const [state, setState] = useState<Loading<T>>({ kind: 'loading' });
  useEffect(() => {
    let isGone = false;
    load().then(
      (value) => isGone || setState({ kind: 'loaded', value }),
      (cause) =>
        isGone ||
        setState({ kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) }),
    );
    return () => {
      isGone = true;
    };
  }, []);
  return state;
}
