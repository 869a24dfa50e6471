import { type Found, found, missing } from '../types/found.ts';
import { createBarrier, letOthersRead } from './barrier.ts';
import type { Answered, Exchange } from './exchange.ts';
import { keptConnection } from './kept-connection.ts';
import { createPace, type Pace } from './pace.ts';
import { retriesMax, secondsToWait } from './retry-after.ts';
import { isFree, isUnanswered, mustBeAnswered } from './unanswered.ts';
import { describeEnd, exchange, type WireLimits, type WireOutcome, type WireRequest } from './wire.ts';

export type SessionLimits = WireLimits & {
  readonly requestsMax: number;
  /** Undefined means no limit. */
  readonly requestsPerSecondMax?: number | undefined;
};

export type Session = {
  /** Sends one request after all earlier requests have ended. */
  send(request: WireRequest): Promise<Found<Answered>>;
  /**
   * Sends requests concurrently, each on its own connection: all are open before any is complete. They are
   * numbered in the given order. A request that gets a `Retry-After` is retried once, alone.
   */
  sendTogether(requests: readonly WireRequest[]): Promise<readonly Found<Answered>[]>;
  /**
   * Sends a request repeatedly, one at a time, until it gets 429, 2xx or a fault, or the bounds are reached.
   * Rate and request limits of the session do not apply. All requests are counted, but only the last exchange
   * is kept.
   */
  burst(request: WireRequest, bounds: BurstBounds): Promise<Found<Burst>>;
  readonly exchanges: readonly Exchange[];
  /** Requests without a response (or with a busy status only), while a plain request got its response. */
  readonly unanswered: readonly Exchange[];
  /** Number of all sent requests, including bursts. */
  requests(): number;
};

export type BurstBounds = { readonly requestsMax: number; readonly secondsMax: number };
export type Burst = { readonly answered: Answered; readonly requests: number };

export type SessionTools = {
  readonly nowMs: () => number;
  /** Ends early if the run is interrupted. */
  readonly sleep: (seconds: number) => Promise<void>;
  /** Ends the run: open requests are aborted, and no new request is sent. */
  readonly signal?: AbortSignal | undefined;
};

/** Consecutive faults after which the session stops, unless a plain request succeeds. */
const faultsInARowMax = 3;
/** The most attempts for a request without a response, with a successful plain request between them. */
const unansweredTriesMax = 3;
/** The most requests in a run that get all attempts. */
const unansweredMax = 3;

/** The requests of a run and the state of the target. */
type Traffic = {
  readonly limits: SessionLimits;
  readonly tools: SessionTools;
  readonly agentFor: ReturnType<typeof keptConnection>;
  readonly pace: Pace;
  readonly exchanges: Exchange[];
  readonly unanswered: Exchange[];
  /** The first request that got 402. If it gets 402 again, the target works. */
  plain: WireRequest | undefined;
  faultsInARow: number;
  isGivenUp: boolean;
  /** The target has closed the kept connection between two requests. */
  closesIdle: boolean;
  requestsSent: number;
};

/**
 * Sends all requests of a run, one at a time, within the limits, and waits for `Retry-After`. If a plain
 * request also fails after three consecutive faults, the session sends nothing more, and the checks that need
 * more are inconclusive. A request with a payment is sent once, unless it is marked as repeatable.
 */
export function createSession(limits: SessionLimits, tools: SessionTools): Session {
  const traffic: Traffic = {
    limits,
    tools,
    agentFor: keptConnection(),
    pace: createPace(limits.requestsPerSecondMax, tools),
    exchanges: [],
    unanswered: [],
    plain: undefined,
    faultsInARow: 0,
    isGivenUp: false,
    closesIdle: false,
    requestsSent: 0,
  };
  let turn: Promise<unknown> = Promise.resolve();
  /** The next request waits for this one, even if this one throws. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }
  return {
    exchanges: traffic.exchanges,
    unanswered: traffic.unanswered,
    requests: () => traffic.requestsSent,
    send: (request) => inTurn(() => sendUntilAnswered(traffic, request)),
    sendTogether: (requests) => inTurn(() => sendAllPatiently(traffic, requests)),
    burst: (request, bounds) => inTurn(() => sendUntilRefused(traffic, request, bounds)),
  };
}

async function sendOnce(traffic: Traffic, request: WireRequest, isOfPlain = false): Promise<Found<Answered>> {
  const { tools, pace } = traffic;
  if (!isOfPlain) await lookAfterFaults(traffic);
  const refused = refusal(traffic, 1, isOfPlain);
  if (refused !== undefined) return missing(refused);
  await pace.keep();
  if (tools.signal?.aborted) return missing(describeEnd(tools.signal));
  const sentAtMs = pace.sent(1);
  traffic.requestsSent += 1;
  const outcome = await exchangeOnce(traffic, request);
  return noted(traffic, { request, outcome, sentAtMs, endedAtMs: tools.nowMs() });
}

async function exchangeOnce(traffic: Traffic, request: WireRequest): Promise<WireOutcome> {
  const { limits, tools, agentFor, closesIdle } = traffic;
  // A payment on a connection that is about to close would be lost.
  const isKept = request.isOnKeptConnection && !(closesIdle && !mayRepeat(request));
  if (!isKept) return exchange(request, limits, tools.signal);
  const sending = { agent: agentFor(request.url) };
  const outcome = await exchange(request, limits, tools.signal, sending);
  // The target may close an idle connection at any time, so the suite opens a new one, like every client.
  const isStale = outcome.kind === 'failure' && outcome.isStale === true;
  if (isStale) traffic.closesIdle = true;
  return isStale && mayRepeat(request) ? exchange(request, limits, tools.signal, sending) : outcome;
}

/** Stores an exchange under its number. */
function noted(traffic: Traffic, ended: Omit<Exchange, 'number'>): Found<Answered> {
  const { outcome } = ended;
  const entry = { number: traffic.exchanges.length + 1, ...ended };
  traffic.exchanges.push(entry);
  const fault = outcome.kind === 'failure' || outcome.status >= 500;
  traffic.faultsInARow = fault ? traffic.faultsInARow + 1 : 0;
  if (outcome.kind === 'response' && outcome.status === 402 && isFree(ended.request))
    traffic.plain ??= ended.request;
  return outcome.kind === 'response'
    ? found({ ...entry, outcome })
    : missing(`no response to request ${entry.number}: ${outcome.reason}`);
}

async function sendAll(
  traffic: Traffic,
  requests: readonly WireRequest[],
): Promise<readonly Found<Answered>[]> {
  const { limits, tools, pace } = traffic;
  await lookAfterFaults(traffic);
  const refused = refusal(traffic, requests.length);
  if (refused !== undefined) return requests.map(() => missing(refused));
  await pace.keep();
  const { signal } = tools;
  if (signal?.aborted) return requests.map(() => missing(describeEnd(signal)));
  const sentAtMs = pace.sent(requests.length);
  traffic.requestsSent += requests.length;
  const barrier = createBarrier(requests.length);
  const ended = await Promise.all(
    requests.map(async (request) => {
      const { arrive, leave } = barrier.member();
      const beforeLastByte = async () => {
        await arrive();
        await letOthersRead();
      };
      const outcome = await exchange(request, limits, signal, { beforeLastByte });
      leave();
      return { request, outcome, sentAtMs, endedAtMs: tools.nowMs() };
    }),
  );
  return ended.map((each) => noted(traffic, each));
}

async function sendAllPatiently(
  traffic: Traffic,
  requests: readonly WireRequest[],
): Promise<readonly Found<Answered>[]> {
  const { tools, pace } = traffic;
  const responses = [...(await sendAll(traffic, requests))];
  for (const [index, request] of requests.entries()) {
    const answered = responses[index];
    if (!answered?.ok) continue;
    const seconds = secondsToWait(answered.value.outcome, Math.floor(tools.nowMs() / 1000));
    if (seconds === undefined) continue;
    pace.retryAfterSecondsLeft = Math.max(pace.retryAfterSecondsLeft, seconds);
    if (!mayRepeat(request)) continue;
    const again = await sendPatiently(traffic, request);
    if (again.ok) responses[index] = again;
  }
  return responses;
}

/** Whether the plain request gets 402 again. True if there is no plain request yet. */
async function isWell(traffic: Traffic): Promise<boolean> {
  if (!traffic.plain) return true;
  const again = await sendOnce(traffic, traffic.plain, true);
  const isSame = again.ok && again.value.outcome.status === 402;
  traffic.isGivenUp = !isSame && traffic.faultsInARow >= faultsInARowMax;
  return isSame;
}

/** After three consecutive faults, a plain request shows whether the whole target is down. */
async function lookAfterFaults(traffic: Traffic): Promise<void> {
  if (traffic.faultsInARow >= faultsInARowMax && !traffic.isGivenUp) await isWell(traffic);
}

/**
 * Retries a request that got no response. Before each retry a plain request must succeed. If there is no plain
 * request yet, the request is retried once.
 */
async function sendUntilAnswered(traffic: Traffic, request: WireRequest): Promise<Found<Answered>> {
  const { unanswered, exchanges } = traffic;
  let sent = await sendPatiently(traffic, request);
  for (let tries = 1; unanswered.length < unansweredMax; tries += 1) {
    const last = exchanges.at(-1);
    if (last?.request !== request || !mayRepeat(request) || !isUnanswered(last.outcome)) break;
    const isDemanded = traffic.plain !== undefined && mustBeAnswered(last);
    if (!(await isWell(traffic))) break;
    if (tries === (isDemanded ? unansweredTriesMax : 2)) {
      if (isDemanded) unanswered.push(last);
      break;
    }
    sent = await sendPatiently(traffic, request);
  }
  return sent;
}

function refusal(
  { limits, tools, exchanges, faultsInARow }: Traffic,
  more: number,
  isOfPlain = false,
): string | undefined {
  if (tools.signal?.aborted) return describeEnd(tools.signal);
  if (faultsInARow >= faultsInARowMax && !isOfPlain) {
    return `the suite stopped sending after ${faultsInARowMax} consecutive faults of the target`;
  }
  if (exchanges.length + more > limits.requestsMax) {
    return `the run reached its limit of ${limits.requestsMax} requests`;
  }
  return undefined;
}

async function sendPatiently(traffic: Traffic, request: WireRequest): Promise<Found<Answered>> {
  const { tools, pace } = traffic;
  let sent = await sendOnce(traffic, request);
  for (let retries = 0; sent.ok; retries += 1) {
    const seconds = secondsToWait(sent.value.outcome, Math.floor(tools.nowMs() / 1000));
    if (seconds === undefined || retries === retriesMax) break;
    pace.retryAfterSecondsLeft = seconds;
    if (!mayRepeat(request)) break;
    const again = await sendOnce(traffic, request);
    if (!again.ok) break;
    sent = again;
  }
  return sent;
}

async function sendUntilRefused(
  traffic: Traffic,
  request: WireRequest,
  bounds: BurstBounds,
): Promise<Found<Burst>> {
  const { limits, tools, exchanges, pace } = traffic;
  let sentAtMs = tools.nowMs();
  const endsAtMs = sentAtMs + bounds.secondsMax * 1000;
  let outcome: WireOutcome;
  let requests = 0;
  do {
    if (tools.signal?.aborted) return missing(describeEnd(tools.signal));
    traffic.requestsSent += 1;
    sentAtMs = tools.nowMs();
    outcome = await exchange(request, limits, tools.signal);
    requests += 1;
  } while (
    outcome.kind === 'response' &&
    outcome.status >= 300 &&
    outcome.status !== 429 &&
    outcome.status < 500 &&
    requests < bounds.requestsMax &&
    tools.nowMs() < endsAtMs
  );
  const entry = { number: exchanges.length + 1, request, outcome, sentAtMs, endedAtMs: tools.nowMs() };
  exchanges.push(entry);
  if (outcome.kind !== 'response') return missing(`no response to request ${requests}: ${outcome.reason}`);
  pace.retryAfterSecondsLeft = secondsToWait(outcome, Math.floor(tools.nowMs() / 1000)) ?? 0;
  return found({ answered: { ...entry, outcome }, requests });
}

/** The target may have taken a payment without responding, so funded payments are not retried. */
function mayRepeat(request: WireRequest): boolean {
  return request.isRepeatable === true || isFree(request);
}
