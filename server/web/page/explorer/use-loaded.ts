import { useEffect, useState } from 'preact/hooks';
import { systemClock } from '../../../types/clock.ts';

type Loading<T> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

export type Loaded<T> = {
  readonly state: Loading<T>;
  /** When the state was read, in Unix seconds by the clock of the browser; null before. */
  readonly readAt: number | null;
  /** Reads the value again. The old one stays visible until the new one is there. */
  again(): void;
};

type Kept<T> = { readonly state: Loading<T>; readonly readAt: number | null };

/** Loads a value when the view appears, and when the visitor asks for it again. */
export function useLoaded<T>(load: () => Promise<T>): Loaded<T> {
  const [{ state, readAt }, setKept] = useState<Kept<T>>({ state: { kind: 'loading' }, readAt: null });
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isGone = false;
    const keep = (found: Loading<T>) => {
      if (!isGone) setKept({ state: found, readAt: systemClock.nowSeconds() });
    };
    load().then(
      (value) => keep({ kind: 'loaded', value }),
      (cause) => keep({ kind: 'failed', message: cause instanceof Error ? cause.message : String(cause) }),
    );
    return () => {
      isGone = true;
    };
  }, [count]);
  return { state, readAt, again: () => setCount((before) => before + 1) };
}
