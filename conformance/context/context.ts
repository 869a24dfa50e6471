import { type Level, type RequirementId, requirements } from '@paid-inference/contract/requirements';
import type { Nodes } from '../chain/nodes.ts';
import type { Sleep } from '../chain/patiently.ts';
import type { Budget } from '../payment/budget.ts';
import type { Throwaway } from '../payment/throwaway.ts';
import type { Found } from '../types/found.ts';
import type { Answered, Exchange } from '../wire/exchange.ts';
import { jsonText } from '../wire/json-text.ts';
import type { Burst, BurstBounds, Session } from '../wire/session.ts';
import { inSmallLetters, type WireRequest } from '../wire/wire.ts';
import { type Claim, proveClaim } from './claim.ts';

/**
 * A request of a check. The suite adds the target's address and the usual headers when it sends the request.
 */
export type Ask = {
  readonly path: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Usual headers that the request leaves out. */
  readonly lacks?: readonly ('Accept' | 'Content-Type' | 'User-Agent')[];
  /** Default: `valid`. */
  readonly claim?: Claim;
  /** The request has a payment by a key without funds, so the suite may retry it after `Retry-After`. */
  readonly isRepeatable?: true;
  /** The request is random. Checks that read the transcript do not see it. */
  readonly isRandom?: true;
  /** The request uses the connection that the run keeps open. */
  readonly isOnKeptConnection?: true;
  /** The header names are sent in lower case. */
  readonly hasSmallNames?: true;
};

/** The tools and facts that a check gets. The exchanges that it sends or shares become its evidence. */
export type Context = {
  /** The requirement of the check. A value that several checks share is fetched for the first of them. */
  readonly requirement: RequirementId;
  readonly model: string;
  readonly targetUrl: string;
  readonly nowSeconds: () => number;
  readonly throwaway: Throwaway;
  /** Undefined outside the paid profile. */
  readonly budget: Budget | undefined;
  readonly fuzz: Fuzz;
  /** Nodes of the test network and of the ledger network, if the caller gave them. */
  readonly nodes: Nodes;
  readonly sleep: Sleep;
  /** Sends a request, or returns the response that the same request got earlier in this run. */
  ask(request: Ask): Promise<Found<Answered>>;
  /** Sends a request, even if the same request was sent before. */
  send(request: Ask): Promise<Found<Answered>>;
  /** Sends requests at the same time. */
  sendTogether(requests: readonly Ask[]): Promise<readonly Found<Answered>[]>;
  /** Sends a request repeatedly until it gets 429 or reaches the bounds. */
  burst(request: Ask, bounds: BurstBounds): Promise<Found<Burst>>;
  /** The result of a producer, which runs once in a run, for the first check that needs the result. */
  once<T>(produce: (context: Context) => Promise<T>): Promise<T>;
  /** Adds exchanges that the check did not send itself to its evidence. */
  cite(exchanges: readonly Exchange[]): void;
  /** All exchanges so far without the random requests, which decide no requirement. */
  transcript(): readonly Exchange[];
  /** All exchanges so far with the random requests. An unpaid request must never be served, random or not. */
  everything(): readonly Exchange[];
  /** Requests that never got a response, while a plain request in between did. */
  unanswered(): readonly Exchange[];
  /** Failures that checks of single responses reported so far. Closing checks do not report them again. */
  reported(): readonly Reported[];
};

/** A broken requirement, and the exchanges that showed it. */
export type Reported = { readonly requirement: RequirementId; readonly exchanges: ReadonlySet<number> };

/** The source of reproducible random values. */
export type Fuzz = {
  readonly seed: number;
  /** The path to one random value, as an earlier run printed it. */
  readonly path: string | undefined;
};

/** Values that all checks of a run share. */
export type Run = Pick<
  Context,
  'model' | 'targetUrl' | 'nowSeconds' | 'throwaway' | 'budget' | 'fuzz' | 'nodes' | 'sleep'
> & {
  readonly session: Session;
  readonly userAgent: string;
  readonly reported: readonly Reported[];
  readonly shared: Map<unknown, { readonly value: Promise<unknown>; readonly evidence: Set<number> }>;
};

/** A view of the run for one check. The numbers of its exchanges are added to `evidence`. */
export function createContext(run: Run, requirement: RequirementId, evidence: Set<number>): Context {
  async function once<T>(key: unknown, produce: (context: Context) => Promise<T>): Promise<T> {
    let entry = run.shared.get(key);
    if (!entry) {
      const basis = new Set<number>();
      // The entry is stored before the value exists, so that a source that throws is not asked, and paid,
      // twice.
      entry = { value: produce(createContext(run, requirement, basis)), evidence: basis };
      run.shared.set(key, entry);
    }
    // The key is the producer or its request, so the value has the producer's type.
    const value = (await entry.value) as T;
    for (const number of entry.evidence) evidence.add(number);
    return value;
  }

  async function send(request: Ask): Promise<Found<Answered>> {
    const before = run.session.exchanges.length;
    const answered = await run.session.send(wireRequest(run, request, requirements[requirement].level));
    for (const entry of run.session.exchanges.slice(before)) evidence.add(entry.number);
    return answered;
  }

  return {
    requirement,
    model: run.model,
    targetUrl: run.targetUrl,
    nowSeconds: run.nowSeconds,
    throwaway: run.throwaway,
    budget: run.budget,
    fuzz: run.fuzz,
    nodes: run.nodes,
    sleep: run.sleep,
    send,
    async sendTogether(requests) {
      const before = run.session.exchanges.length;
      const level = requirements[requirement].level;
      const responses = await run.session.sendTogether(requests.map((each) => wireRequest(run, each, level)));
      for (const entry of run.session.exchanges.slice(before)) evidence.add(entry.number);
      return responses;
    },
    async burst(request, bounds) {
      const before = run.session.exchanges.length;
      const level = requirements[requirement].level;
      const ended = await run.session.burst(wireRequest(run, request, level), bounds);
      for (const entry of run.session.exchanges.slice(before)) evidence.add(entry.number);
      return ended;
    },
    ask: (request) => once(jsonText(request), (context) => context.send(request)),
    once: (produce) => once(produce, produce),
    cite: (exchanges) => {
      for (const entry of exchanges) evidence.add(entry.number);
    },
    everything: () => run.session.exchanges,
    unanswered: () => run.session.unanswered,
    transcript: () => run.session.exchanges.filter(({ request }) => !request.isRandom),
    reported: () => run.reported,
  };
}

/** The full URL of a path at the target. The target URL may have a path prefix. */
export function urlAt(targetUrl: string, path: string): string {
  return targetUrl.replace(/\/+$/, '') + path;
}

function wireRequest(run: Run, ask: Ask, level: Level): WireRequest {
  const { path, method = 'POST', body, text, headers, claim = 'valid', isRepeatable, isRandom } = ask;
  const { isOnKeptConnection, hasSmallNames, lacks = [] } = ask;
  const content = text ?? (body === undefined ? undefined : jsonText(body));
  proveClaim({ path, method, text: content, claim, level });
  const named = {
    ...(!lacks.includes('Accept') && { Accept: 'application/json' }),
    ...(content !== undefined && !lacks.includes('Content-Type') && { 'Content-Type': 'application/json' }),
    ...(!lacks.includes('User-Agent') && { 'User-Agent': run.userAgent }),
    ...headers,
  };
  return {
    method,
    url: urlAt(run.targetUrl, path),
    headers: hasSmallNames ? inSmallLetters(named) : named,
    body: content,
    ...(isRepeatable && { isRepeatable }),
    ...(isRandom && { isRandom }),
    ...(isOnKeptConnection && { isOnKeptConnection }),
    ...(claim === 'invalid' && { isProvenInvalid: true }),
    ...(level === 'OBSERVED' && { isOnlyObserved: true }),
  };
}
