import { type Found, found, missing } from '../engine/found.ts';
import { retriesMax, secondsToWait } from './patience.ts';
import { exchange, type WireAnswer, type WireLimits, type WireOutcome, type WireRequest } from './wire.ts';

/** A request and what came of it, numbered in the order of sending. */
export type Exchange = {
  readonly number: number;
  readonly request: WireRequest;
  readonly outcome: WireOutcome;
};
export type Answered = Exchange & { readonly outcome: WireAnswer };

export type SessionLimits = WireLimits & { readonly requestsMax: number };

export type Session = {
  /** Sends one request, when all earlier ones have been answered. */
  send(request: WireRequest): Promise<Found<Answered>>;
  readonly exchanges: readonly Exchange[];
};

export type SessionTools = {
  readonly nowSeconds: () => number;
  readonly sleep: (seconds: number) => Promise<void>;
  readonly onExchange?: (exchange: Exchange) => void;
};

/** Server faults and dead connections in a row after which the target is left alone. */
export const faultsInARowMax = 3;

/**
 * All traffic of a run: one request at a time, at most `requestsMax` of them, `Retry-After` honoured. After three
 * faults in a row nothing more is sent, and whatever needed it is inconclusive.
 */
export function createSession(limits: SessionLimits, tools: SessionTools): Session {
  const exchanges: Exchange[] = [];
  let faultsInARow = 0;

  async function sendOnce(request: WireRequest): Promise<Found<Answered>> {
    if (faultsInARow >= faultsInARowMax) {
      return missing(`the target was left alone after ${faultsInARowMax} faults in a row`);
    }
    if (exchanges.length >= limits.requestsMax) {
      return missing(`the run's ceiling of ${limits.requestsMax} requests is reached`);
    }
    const outcome = await exchange(request, limits);
    const entry = { number: exchanges.length + 1, request, outcome };
    exchanges.push(entry);
    tools.onExchange?.(entry);
    const fault = outcome.kind === 'failure' || outcome.status >= 500;
    faultsInARow = fault ? faultsInARow + 1 : 0;
    return outcome.kind === 'answer'
      ? found({ ...entry, outcome })
      : missing(`no answer to request ${entry.number}: ${outcome.reason}`);
  }

  async function sendPatiently(request: WireRequest): Promise<Found<Answered>> {
    let sent = await sendOnce(request);
    for (let retries = 0; sent.ok && retries < retriesMax; retries += 1) {
      const seconds = secondsToWait(sent.value.outcome, tools.nowSeconds());
      if (seconds === undefined) break;
      await tools.sleep(seconds);
      const again = await sendOnce(request);
      if (!again.ok) break;
      sent = again;
    }
    return sent;
  }

  let turn: Promise<unknown> = Promise.resolve();
  return {
    exchanges,
    send(request) {
      const sent = turn.then(() => sendPatiently(request));
      // The next request waits for this one, also if this code has thrown.
      turn = sent.catch(() => undefined);
      return sent;
    },
  };
}
