import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type Found, found, missing } from '../types/found.ts';
import { createBarrier } from './barrier.ts';
import type { Answered, Exchange } from './exchange.ts';
import { keptConnection } from './kept-connection.ts';
import { createPace, type Pace } from './pace.ts';
import { retriesMax, secondsToWait } from './retry-after.ts';
import { isFree, isUnanswered, mustBeAnswered } from './unanswered.ts';
import { endOf, exchange, type WireLimits, type WireOutcome, type WireRequest } from './wire.ts';

export type SessionLimits = WireLimits & {
  readonly requestsMax: number;
  /** Undefined where nobody has to be spared. */
  readonly requestsPerSecondMax?: number | undefined;
};

export type Session = {
  /** Sends one request, when all earlier ones have been answered. */
  send(request: WireRequest): Promise<Found<Answered>>;
  /**
   * Sends requests at the same time, each on a connection of its own: all of them are under way before any is complete. They
   * are numbered in the order given. One that is asked for patience is sent once more, alone.
   */
  sendTogether(requests: readonly WireRequest[]): Promise<readonly Found<Answered>[]>;
  /**
   * Sends a request over and over, one after the other, until it is answered 429 or 2xx, the target is in trouble, or the
   * bounds are reached. Neither pace nor ceiling of the session hold it. The last exchange alone is kept; all of them are counted.
   */
  burst(request: WireRequest, bounds: BurstBounds): Promise<Found<Burst>>;
  readonly exchanges: readonly Exchange[];
  /** Requests that brought no answer each time, or only that the target was busy, while a plain one was answered in between. */
  readonly unanswered: readonly Exchange[];
  /** All that were sent, those of bursts included. */
  requests(): number;
};

export type BurstBounds = { readonly requestsMax: number; readonly secondsMax: number };
export type Burst = { readonly answered: Answered; readonly requests: number };

export type SessionTools = {
  readonly nowMs: () => number;
  /** Ends early where the run is interrupted. */
  readonly sleep: (seconds: number) => Promise<void>;
  /** Ends the run: what is under way is given up, and nothing more is sent. */
  readonly signal?: AbortSignal | undefined;
};

/** Server faults and dead connections in a row after which the target is left alone, unless it answers a plain request. */
const faultsInARowMax = 3;
/** So often a request is sent that brings no answer, where a plain one is answered in between. */
const unansweredTriesMax = 3;
/** Requests that are sent so often in a run: they tell enough. */
const unansweredMax = 3;

/** All that was sent in a run, and how the target took it. */
type Traffic = {
  readonly limits: SessionLimits;
  readonly tools: SessionTools;
  readonly agentFor: ReturnType<typeof keptConnection>;
  readonly pace: Pace;
  readonly exchanges: Exchange[];
  readonly unanswered: Exchange[];
  /** The first request that was answered 402. A target that answers it so again is well. */
  plain: WireRequest | undefined;
  faultsInARow: number;
  isGivenUp: boolean;
  requestsSent: number;
};

/**
 * All traffic of a run: one request at a time, no more of them than the limits allow, `Retry-After` honoured. Where a plain
 * request is not answered either after three faults in a row, nothing more is sent, and whatever needed it is inconclusive. A
 * request that carries a payment is sent once, unless it says that this costs nothing.
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
    requestsSent: 0,
  };
  let turn: Promise<unknown> = Promise.resolve();
  /** The next request waits for this one, also if this code has thrown. */
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
  if (tools.signal?.aborted) return missing(endOf(tools.signal));
  const sentAtMs = pace.sent(1);
  traffic.requestsSent += 1;
  const outcome = await exchangeOnce(traffic, request);
  return noted(traffic, { request, outcome, sentAtMs, endedAtMs: tools.nowMs() });
}

async function exchangeOnce(
  { limits, tools, agentFor }: Traffic,
  request: WireRequest,
): Promise<WireOutcome> {
  if (!request.isOnKeptConnection) return exchange(request, limits, tools.signal);
  const sending = { agent: agentFor(request.url) };
  const outcome = await exchange(request, limits, tools.signal, sending);
  // The target may close an idle connection at any time: as every client does, this one opens another.
  const isStale = outcome.kind === 'failure' && outcome.isStale;
  return isStale && mayRepeat(request) ? exchange(request, limits, tools.signal, sending) : outcome;
}

/** Keeps an exchange under its number. */
function noted(traffic: Traffic, ended: Omit<Exchange, 'number'>): Found<Answered> {
  const { outcome } = ended;
  const entry = { number: traffic.exchanges.length + 1, ...ended };
  traffic.exchanges.push(entry);
  const fault = outcome.kind === 'failure' || outcome.status >= 500;
  traffic.faultsInARow = fault ? traffic.faultsInARow + 1 : 0;
  if (outcome.kind === 'answer' && outcome.status === 402 && isFree(ended.request))
    traffic.plain ??= ended.request;
  return outcome.kind === 'answer'
    ? found({ ...entry, outcome })
    : missing(`no answer to request ${entry.number}: ${outcome.reason}`);
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
  if (signal?.aborted) return requests.map(() => missing(endOf(signal)));
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
  const answers = [...(await sendAll(traffic, requests))];
  for (const [index, request] of requests.entries()) {
    const answered = answers[index];
    if (!answered?.ok) continue;
    const seconds = secondsToWait(answered.value.outcome, Math.floor(tools.nowMs() / 1000));
    if (seconds === undefined || !mayRepeat(request)) continue;
    pace.retryAfterSecondsLeft = Math.max(pace.retryAfterSecondsLeft, seconds);
    const again = await sendPatiently(traffic, request);
    if (again.ok) answers[index] = again;
  }
  return answers;
}

/** Whether the plain request is answered as it was; true too where there is none yet. */
async function isWell(traffic: Traffic): Promise<boolean> {
  if (!traffic.plain) return true;
  const again = await sendOnce(traffic, traffic.plain, true);
  const isSame = again.ok && again.value.outcome.status === 402;
  traffic.isGivenUp = !isSame && traffic.faultsInARow >= faultsInARowMax;
  return isSame;
}

/** Faults that one kind of request brings are not taken for a target that is down. */
async function lookAfterFaults(traffic: Traffic): Promise<void> {
  if (traffic.faultsInARow >= faultsInARowMax && !traffic.isGivenUp) await isWell(traffic);
}

/**
 * Sends a request again that brought no answer. Before each time a plain request must be answered; where there was none yet, it is
 * sent once more.
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
  if (tools.signal?.aborted) return endOf(tools.signal);
  if (faultsInARow >= faultsInARowMax && !isOfPlain) {
    return `the target was left alone after ${faultsInARowMax} faults in a row`;
  }
  if (exchanges.length + more > limits.requestsMax) {
    return `the run's ceiling of ${limits.requestsMax} requests is reached`;
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
    if (tools.signal?.aborted) return missing(endOf(tools.signal));
    traffic.requestsSent += 1;
    sentAtMs = tools.nowMs();
    outcome = await exchange(request, limits, tools.signal);
    requests += 1;
  } while (
    outcome.kind === 'answer' &&
    outcome.status >= 300 &&
    outcome.status !== 429 &&
    outcome.status < 500 &&
    requests < bounds.requestsMax &&
    tools.nowMs() < endsAtMs
  );
  const entry = { number: exchanges.length + 1, request, outcome, sentAtMs, endedAtMs: tools.nowMs() };
  exchanges.push(entry);
  if (outcome.kind !== 'answer') return missing(`no answer to request ${requests}: ${outcome.reason}`);
  pace.retryAfterSecondsLeft = secondsToWait(outcome, Math.floor(tools.nowMs() / 1000)) ?? 0;
  return found({ answered: { ...entry, outcome }, requests });
}

/** What was sent is with the target's system then, and not yet with the target. */
async function letOthersRead(): Promise<void> {
  await delay(readMs);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

const readMs = 10;

/** A payment that was not answered may have been taken all the same: to repeat it is for people to decide. */
function mayRepeat(request: WireRequest): boolean {
  return request.isRepeatable === true || isFree(request);
}
