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

/** A request in a check's own words; the target's address and the usual headers are added on sending. */
export type Ask = {
  readonly path: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it stands, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of the usual headers that it is sent without. */
  readonly lacks?: readonly ('User-Agent' | 'Content-Type')[];
  /** `valid` where it is left out. */
  readonly claim?: Claim;
  /** It carries a payment by a key that owns nothing, and may be sent again if the target asks for patience. */
  readonly isRepeatable?: true;
  /** Made by chance. Nothing that looks back at the transcript sees it. */
  readonly isRandom?: true;
  /** It is sent on the connection that the run keeps open. */
  readonly isOnKeptConnection?: true;
  /** The names of its headers are sent in small letters. */
  readonly hasSmallNames?: true;
};

/** All that a check can do and know. What it sends, and what it shares with others, becomes its evidence. */
export type Context = {
  /** What the check is about; of what several checks share, the first of them. */
  readonly requirement: RequirementId;
  readonly model: string;
  readonly targetUrl: string;
  readonly nowSeconds: () => number;
  readonly throwaway: Throwaway;
  /** Undefined outside the paid profile. */
  readonly budget: Budget | undefined;
  readonly fuzz: Fuzz;
  /** Nodes of the test network and of the ledger network, where the caller gave one. */
  readonly nodes: Nodes;
  readonly sleep: Sleep;
  /** Sends a request, or gives the answer that it got earlier in this run. */
  ask(request: Ask): Promise<Found<Answered>>;
  /** Sends a request now, whatever was sent before. */
  send(request: Ask): Promise<Found<Answered>>;
  /** Sends requests at the same time. */
  sendTogether(requests: readonly Ask[]): Promise<readonly Found<Answered>[]>;
  /** Sends a request over and over, until it is answered 429 or the bounds are reached. */
  burst(request: Ask, bounds: BurstBounds): Promise<Found<Burst>>;
  /** What a source found: fetched once in a run, by the first check that needs it. */
  once<T>(produce: (context: Context) => Promise<T>): Promise<T>;
  /** Marks exchanges as evidence that this check did not send itself. */
  cite(exchanges: readonly Exchange[]): void;
  /** Everything exchanged so far, save what was made by chance: that decides no demand of the contract. */
  transcript(): readonly Exchange[];
  /** The transcript with the random requests: an unpaid request must never be served, whoever made it. */
  everything(): readonly Exchange[];
  /** Requests that brought no answer each time, while a plain one was answered in between. */
  unanswered(): readonly Exchange[];
  /** What checks of single answers have found broken so far: who looks back has no need to say it again. */
  reported(): readonly Reported[];
};

/** A requirement that was found broken, and the exchanges that showed it. */
export type Reported = { readonly requirement: RequirementId; readonly exchanges: ReadonlySet<number> };

/** What makes chance repeatable. */
export type Fuzz = {
  readonly seed: number;
  /** Leads to one random value, as an earlier run has printed it. */
  readonly path: string | undefined;
};

/** What all checks of a run share. */
export type Run = Pick<
  Context,
  'model' | 'targetUrl' | 'nowSeconds' | 'throwaway' | 'budget' | 'fuzz' | 'nodes' | 'sleep'
> & {
  readonly session: Session;
  readonly userAgent: string;
  readonly reported: readonly Reported[];
  readonly shared: Map<unknown, { readonly value: Promise<unknown>; readonly evidence: Set<number> }>;
};

/** A view of the run for one check; the numbers of the exchanges that it rests on are added to `evidence`. */
export function createContext(run: Run, requirement: RequirementId, evidence: Set<number>): Context {
  async function once<T>(key: unknown, produce: (context: Context) => Promise<T>): Promise<T> {
    let entry = run.shared.get(key);
    if (!entry) {
      const basis = new Set<number>();
      // Kept before it is there: a source that throws must not be asked, and paid, a second time.
      entry = { value: produce(createContext(run, requirement, basis)), evidence: basis };
      run.shared.set(key, entry);
    }
    // The key is the producer itself or the request that it sends, so the value is what it produced.
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
      const answers = await run.session.sendTogether(requests.map((each) => wireRequest(run, each, level)));
      for (const entry of run.session.exchanges.slice(before)) evidence.add(entry.number);
      return answers;
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

/** Full URL of a path at the target, which may itself have a path prefix. */
export function urlAt(targetUrl: string, path: string): string {
  return targetUrl.replace(/\/+$/, '') + path;
}

function wireRequest(run: Run, ask: Ask, level: Level): WireRequest {
  const { path, method = 'POST', body, text, headers, claim = 'valid', isRepeatable, isRandom } = ask;
  const { isOnKeptConnection, hasSmallNames, lacks = [] } = ask;
  const content = text ?? (body === undefined ? undefined : jsonText(body));
  proveClaim({ path, method, text: content, claim, level });
  const named = {
    Accept: 'application/json',
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
