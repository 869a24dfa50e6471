import { headerNames } from '@paid-inference/contract/constants';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { siteOfNetwork } from './client-network.ts';

/** At most `requestsMax` requests in `windowSeconds`; null for no limit. */
export type RateLimit = { readonly requestsMax: number; readonly windowSeconds: number } | null;

export type Admission = {
  readonly admitted: boolean;
  readonly retryAfterSeconds: number;
  /** `x-ratelimit-*`, on every response of a limited route (D-32). */
  readonly headers: Readonly<Record<string, string>>;
};

const unlimited: Admission = { admitted: true, retryAfterSeconds: 0, headers: {} };

/** Counts one request of a key. */
export type Admit = (key: string) => Promise<Admission>;

/** The most keys in memory, as of a limit that gateways share. A client may have very many networks (D-347). */
const keysMaxDefault = 65_536;

/** Counts requests by key, in memory. Each process counts for itself. */
export function createRateLimit(limit: RateLimit, keysMax = keysMaxDefault): Admit {
  if (limit === null) return () => Promise.resolve(unlimited);
  const limiter = new RateLimiterMemory({ points: limit.requestsMax, duration: limit.windowSeconds });
  const forgetOldest = boundKeys(limiter, keysMax);
  return async (key) => {
    try {
      const state = await limiter.consume(key);
      if (state.isFirstInDuration) forgetOldest(key);
      return present(true, limit, state);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return present(false, limit, refusal);
    }
  };
}

/** A site (D-224) may use as much as this many networks. A provider gives one customer up to 65,536 networks. */
const networksOfSite = 8;

/** The limit of a site, for the limit of a network. */
function limitOfSite(limit: RateLimit): RateLimit {
  return limit && { ...limit, requestsMax: limit.requestsMax * networksOfSite };
}

/** Counts requests for the site of a network too (D-133). Each process counts sites for itself. */
export function countSites(admit: Admit, limit: RateLimit): Admit {
  const admitSite = createRateLimit(limitOfSite(limit));
  return async (network) => {
    const own = await admit(network);
    const site = siteOfNetwork(network);
    if (!own.admitted || site === network) return own;
    const ofSite = await admitSite(site);
    return ofSite.admitted ? own : ofSite;
  };
}

/** The same for refused payments (D-227). */
export function countSitesOfRefusals(refusals: RefusalLimit, limit: RateLimit): RefusalLimit {
  const ofSites = createRefusalLimit(limitOfSite(limit));
  return {
    async findWait(network) {
      const site = siteOfNetwork(network);
      return (await refusals.findWait(network)) ?? (site === network ? null : ofSites.findWait(site));
    },
    async count(network) {
      const site = siteOfNetwork(network);
      const [own, ofSite] = await Promise.all([
        refusals.count(network),
        site === network || ofSites.count(site),
      ]);
      return own && ofSite;
    },
  };
}

/** Counts the refused payments of a network (D-227). Asking whether the limit is reached counts nothing. */
export type RefusalLimit = {
  /** Returns the wait when the limit is reached, else null. */
  readonly findWait: (network: string) => Promise<{ readonly retryAfterSeconds: number } | null>;
  /** Counts one. False beyond the limit. */
  readonly count: (network: string) => Promise<boolean>;
};

export function createRefusalLimit(limit: RateLimit, keysMax = keysMaxDefault): RefusalLimit {
  if (limit === null) return { findWait: async () => null, count: async () => true };
  const limiter = new RateLimiterMemory({ points: limit.requestsMax, duration: limit.windowSeconds });
  const forgetOldest = boundKeys(limiter, keysMax);
  return {
    async findWait(network) {
      const state = await limiter.get(network);
      if (state === null || state.remainingPoints > 0) return null;
      return { retryAfterSeconds: secondsLeft(state, limit) };
    },
    async count(network) {
      const { isFirstInDuration, consumedPoints } = await limiter.penalty(network);
      if (isFirstInDuration) forgetOldest(network);
      return consumedPoints <= limit.requestsMax;
    },
  };
}

/** The same limit, for one request: counts it once, however many refusals it gets. */
export function countOnce({ findWait, count }: RefusalLimit): RefusalLimit {
  let counted: Promise<boolean> | null = null;
  return {
    findWait,
    count(network) {
      counted ??= count(network);
      return counted;
    },
  };
}

/** Returns a function that notes a new window, and forgets the oldest one beyond the limit. */
function boundKeys(limiter: RateLimiterMemory, keysMax: number): (key: string) => void {
  const keys = new Set<string>();
  return (key) => {
    keys.delete(key);
    keys.add(key);
    const [oldest] = keys.size > keysMax ? keys : [];
    if (oldest === undefined) return;
    keys.delete(oldest);
    void limiter.delete(oldest);
  };
}

function present(admitted: boolean, limit: NonNullable<RateLimit>, state: RateLimiterRes): Admission {
  const { requestsMax } = limit;
  const resetSeconds = secondsLeft(state, limit);
  return presentAdmission(admitted, { requestsMax, remaining: state.remainingPoints, resetSeconds });
}

/** A timer ends the window, and the library calculates its rest from the wall clock, which may step back (D-344). */
function secondsLeft({ msBeforeNext }: RateLimiterRes, { windowSeconds }: NonNullable<RateLimit>): number {
  return Math.min(windowSeconds, Math.max(1, Math.ceil(msBeforeNext / 1000)));
}

/** The rest of a window, for the headers. */
type WindowState = {
  readonly requestsMax: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

export function presentAdmission(
  admitted: boolean,
  { requestsMax, remaining, resetSeconds }: WindowState,
): Admission {
  return {
    admitted,
    retryAfterSeconds: resetSeconds,
    headers: {
      [headerNames.rateLimitRequests]: String(requestsMax),
      [headerNames.rateLimitRemainingRequests]: String(remaining),
      [headerNames.rateLimitReset]: `${resetSeconds}s`,
    },
  };
}
