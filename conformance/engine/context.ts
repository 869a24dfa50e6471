import type { Budget } from '../payment/budget.ts';
import type { Throwaway } from '../payment/throwaway.ts';
import type { Answered, Exchange, Session } from '../wire/session.ts';
import type { WireRequest } from '../wire/wire.ts';
import type { Found } from './found.ts';

/** A request in a check's own words; the target's address and the usual headers are added on sending. */
export type Ask = {
  readonly path: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it stands, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** All that a check can do and know. What it sends, and what it shares with others, becomes its evidence. */
export type Context = {
  readonly model: string;
  readonly targetUrl: string;
  readonly nowSeconds: () => number;
  readonly throwaway: Throwaway;
  /** Undefined outside the paid profile. */
  readonly budget: Budget | undefined;
  /** Sends a request, or gives the answer that it got earlier in this run. */
  ask(request: Ask): Promise<Found<Answered>>;
  /** Sends a request now, whatever was sent before. */
  send(request: Ask): Promise<Found<Answered>>;
  /** What a source found: fetched once in a run, by the first check that needs it. */
  once<T>(produce: (context: Context) => Promise<T>): Promise<T>;
  /** Marks exchanges as evidence that this check did not send itself. */
  cite(exchanges: readonly Exchange[]): void;
  /** Everything exchanged so far. */
  transcript(): readonly Exchange[];
};

/** What all checks of a run share. */
export type Run = Pick<Context, 'model' | 'targetUrl' | 'nowSeconds' | 'throwaway' | 'budget'> & {
  readonly session: Session;
  readonly userAgent: string;
  readonly shared: Map<unknown, { readonly value: Promise<unknown>; readonly evidence: Set<number> }>;
};

/** A view of the run for one check; the numbers of the exchanges that it rests on are added to `evidence`. */
export function createContext(run: Run, evidence: Set<number>): Context {
  async function once<T>(key: unknown, produce: (context: Context) => Promise<T>): Promise<T> {
    let entry = run.shared.get(key);
    if (!entry) {
      const basis = new Set<number>();
      // Kept before it is there: a source that throws must not be asked, and paid, a second time.
      entry = { value: produce(createContext(run, basis)), evidence: basis };
      run.shared.set(key, entry);
    }
    // The key is the producer itself or the request that it sends, so the value is what it produced.
    const value = (await entry.value) as T;
    for (const number of entry.evidence) evidence.add(number);
    return value;
  }

  async function send(request: Ask): Promise<Found<Answered>> {
    const before = run.session.exchanges.length;
    const answered = await run.session.send(wireRequest(run, request));
    for (const entry of run.session.exchanges.slice(before)) evidence.add(entry.number);
    return answered;
  }

  return {
    model: run.model,
    targetUrl: run.targetUrl,
    nowSeconds: run.nowSeconds,
    throwaway: run.throwaway,
    budget: run.budget,
    send,
    ask: (request) => once(JSON.stringify(request), (context) => context.send(request)),
    once: (produce) => once(produce, produce),
    cite: (exchanges) => {
      for (const entry of exchanges) evidence.add(entry.number);
    },
    transcript: () => run.session.exchanges,
  };
}

/** Full URL of a path at the target, which may itself have a path prefix. */
export function urlAt(targetUrl: string, path: string): string {
  return targetUrl.replace(/\/+$/, '') + path;
}

function wireRequest(run: Run, { path, method = 'POST', body, text, headers }: Ask): WireRequest {
  const content = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method,
    url: urlAt(run.targetUrl, path),
    headers: {
      Accept: 'application/json',
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      'User-Agent': run.userAgent,
      ...headers,
    },
    body: content,
  };
}
