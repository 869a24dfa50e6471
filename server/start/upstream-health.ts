import type { Engine, EngineProbe, EngineUpstream } from '../inference/engine.ts';
import type { Clock } from '../types/clock.ts';
import { type Remembered, remembered } from './remembered.ts';

export type UpstreamHealthPorts = {
  readonly models: ReadonlyMap<string, { readonly engine: Engine }>;
  readonly clock: Clock;
  /** How long a health result of an upstream stays valid. */
  readonly upstreamHealthAgeMaxMs: number;
};

/**
 * How long a caller waits for a new result of an upstream that worked before. A busy server may list its models late, and
 * monitors wait for a second (D-411).
 */
const patienceMs = 500;

export type UpstreamsCheck = { readonly issue: string | null; readonly warning: string | null };

export type UpstreamHealth = {
  /**
   * An issue if no upstream of a model works, else a warning if one of them does not (D-310). With a payer, faults that
   * other payers may have caused do not count (D-342).
   */
  check(model: string, payer?: string): Promise<UpstreamsCheck>;
  /**
   * Whether an upstream of a model works, as far as the last probes know. Begins new probes where these are old. A payment
   * waits for them only if it would be refused, because the issue may be over (D-357).
   */
  isKnownAvailable(model: string, payer?: string): boolean;
};

/** Reads the health of the upstreams of models. Models of one server share its probe. */
export function createUpstreamHealth({
  models,
  clock,
  upstreamHealthAgeMaxMs,
}: UpstreamHealthPorts): UpstreamHealth {
  const probes = new Map<EngineProbe, Remembered<string | null>>();
  const upstreamsOf = (model: string) => models.get(model)?.engine.upstreams ?? [];

  /** The breaker knows at once that requests fail. */
  async function findIssue(
    { probe, breakerIssue }: EngineUpstream,
    payer: string | undefined,
  ): Promise<string | null> {
    const known = breakerIssue(payer);
    if (known !== null) return known;
    const health = healthOf(probe);
    return health.last() === null ? orWorks(health.recent()) : health.recent();
  }

  function isKnownToWork({ probe, breakerIssue }: EngineUpstream, payer: string | undefined): boolean {
    if (breakerIssue(payer) !== null) return false;
    const health = healthOf(probe);
    // The next report shows an error that lasts.
    health.recent().catch(() => undefined);
    return (health.last() ?? null) === null;
  }

  function healthOf(probe: EngineProbe): Remembered<string | null> {
    const known = probes.get(probe) ?? remembered(() => probe.issue(), upstreamHealthAgeMaxMs, clock);
    probes.set(probe, known);
    return known;
  }

  return {
    async check(model, payer) {
      const upstreams = upstreamsOf(model);
      const issues = await Promise.all(upstreams.map((upstream) => findIssue(upstream, payer)));
      const named = issues.flatMap((issue, at) => {
        if (issue === null) return [];
        return [upstreams.length === 1 ? issue : `upstream ${at + 1}: ${issue}`];
      });
      const sentence = named.length === 0 ? null : named.join('; ');
      const isAway = named.length > 0 && named.length === upstreams.length;
      return isAway ? { issue: sentence, warning: null } : { issue: null, warning: sentence };
    },
    isKnownAvailable(model, payer) {
      // Each upstream is asked, so that old results of all of them are renewed.
      const available = upstreamsOf(model).map((upstream) => isKnownToWork(upstream, payer));
      return available.length === 0 || available.includes(true);
    },
  };
}

/** The result, or null for an upstream that works, if the result takes too long. */
async function orWorks(result: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, patienceMs, null);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
