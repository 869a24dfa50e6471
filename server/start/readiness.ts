import type { Engine, EngineProbe, EngineUpstream } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { ReadinessReport } from '../request/handlers.ts';
import type { Settler } from '../settlement/settler.ts';
import type { OpenStore } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';

export type ReadinessPorts = {
  readonly store: Pick<OpenStore, 'healthIssue'>;
  readonly settler: Pick<Settler, 'healthIssue' | 'warning' | 'saleIssue'>;
  /** The health of the enclave key, and of the proof ledger. */
  readonly proofs: { keyIssue(): string | null; healthIssue(): string | null };
  readonly models: ReadonlyMap<string, { readonly engine: Engine }>;
  readonly isStopping: () => boolean;
  /** Why the rate limits are not shared with the other gateways on the store; null when they are. */
  readonly rateLimitWarning?: () => string | null;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** How long a health result of store and settlement stays valid. */
  readonly healthAgeMaxMs: number;
  /** How long a health result of an upstream stays valid. */
  readonly upstreamHealthAgeMaxMs: number;
};

export type Readiness = {
  /** The checks of `GET /ready`. */
  report(): Promise<ReadinessReport>;
  /**
   * Why the gateway cannot record, serve or settle a new payment for this model now; null if it can (D-143). Never waits
   * for the probe of an upstream whose last probe found no issue (D-357).
   */
  saleIssue(model: string): Promise<string | null>;
};

const modelsNamedMax = 5;

type UpstreamsCheck = { readonly issue: string | null; readonly warning: string | null };
type CheckedModel = UpstreamsCheck & { readonly id: string };

/** Decides whether the gateway can sell. `GET /ready` and new payments use the same health results. */
export function createReadiness(ports: ReadinessPorts): Readiness {
  const { store, settler, proofs, models, isStopping, clock, log, healthAgeMaxMs } = ports;
  const recent = <T>(ask: () => Promise<T>) => remembered(ask, healthAgeMaxMs, clock).recent;
  const storeIssue = recent(() => store.healthIssue());
  const settlementIssue = recent(() => settler.healthIssue());
  const settlementWarning = recent(async () => (await settler.warning?.()) ?? null);
  const { saleIssue } = settler;
  const unsettledIssue = saleIssue === undefined ? settlementIssue : recent(() => saleIssue());
  const probes = new Map<EngineProbe, Remembered<string | null>>();
  const unsold = new Set<string>();
  return { report, saleIssue: async (model) => logChange(model, await findSaleIssue(model)) };

  async function report(): Promise<ReadinessReport> {
    const [store, settlement, warning, upstream] = await Promise.all([
      storeIssue(),
      settlementIssue(),
      settlementWarning(),
      modelsReport(),
    ]);
    return [
      { name: 'running', healthIssue: isStopping() ? 'the gateway is shutting down' : null },
      { name: 'store', healthIssue: store, warning: ports.rateLimitWarning?.() ?? null },
      { name: 'settlement', healthIssue: settlement, warning },
      // Sales go on while the proof ledger is down. With a revoked enclave key the gateway sells nothing.
      { name: 'proofs', healthIssue: proofs.keyIssue(), warning: proofs.healthIssue() },
      { name: 'models', ...upstream },
    ];
  }

  async function findSaleIssue(model: string): Promise<string | null> {
    const [store, settlement, upstream] = await Promise.all([
      storeIssue(),
      unsettledIssue(),
      isKnownAvailable(model) ? null : checkUpstreams(model),
    ]);
    return store ?? settlement ?? upstream?.issue ?? proofs.keyIssue();
  }

  /** Ready if at least one model can be sold. */
  async function modelsReport(): Promise<{ readonly healthIssue: string | null; readonly warning?: string }> {
    const all = await Promise.all(
      [...models.keys()].map(async (id) => ({ id, ...(await checkUpstreams(id)) })),
    );
    const away = nameModels('cannot be sold now', all, ({ issue }) => issue);
    if (all.every(({ issue }) => issue !== null)) return { healthIssue: away };
    const fewer = nameModels('has fewer upstreams now', all, ({ warning }) => warning);
    const warnings = [away, fewer].filter((sentence) => sentence !== null);
    return { healthIssue: null, ...(warnings.length > 0 && { warning: warnings.join('. ') }) };
  }

  /** An issue if no upstream of a model works, else a warning if one of them does not (D-310). */
  async function checkUpstreams(model: string): Promise<UpstreamsCheck> {
    const upstreams = models.get(model)?.engine.upstreams ?? [];
    const issues = await Promise.all(upstreams.map(upstreamIssue));
    const named = issues.flatMap((issue, at) => {
      if (issue === null) return [];
      return [upstreams.length === 1 ? issue : `upstream ${at + 1}: ${issue}`];
    });
    const sentence = named.length === 0 ? null : named.join('; ');
    const isAway = named.length > 0 && named.length === upstreams.length;
    return isAway ? { issue: sentence, warning: null } : { issue: null, warning: sentence };
  }

  /**
   * Whether an upstream of a model works, as far as the last probes know. Begins new probes where these are old. A payment
   * waits for them only if it would be refused, because the issue may be over (D-357).
   */
  function isKnownAvailable(model: string): boolean {
    const upstreams = models.get(model)?.engine.upstreams ?? [];
    const available = upstreams.map(({ probe, breakerIssue }) => {
      if (breakerIssue() !== null) return false;
      const health = healthOf(probe);
      // The next report shows an error that lasts.
      health.recent().catch(() => undefined);
      return (health.last() ?? null) === null;
    });
    return available.length === 0 || available.includes(true);
  }

  /** The breaker knows at once that requests fail. */
  async function upstreamIssue({ probe, breakerIssue }: EngineUpstream): Promise<string | null> {
    return breakerIssue() ?? healthOf(probe).recent();
  }

  /** Models of one server share its probe. */
  function healthOf(probe: EngineProbe): Remembered<string | null> {
    const known = probes.get(probe) ?? remembered(() => probe.issue(), ports.upstreamHealthAgeMaxMs, clock);
    probes.set(probe, known);
    return known;
  }

  /** Logs once that a model is not sold, and once that it is sold again. */
  function logChange(model: string, issue: string | null): string | null {
    if (issue !== null && !unsold.has(model)) {
      unsold.add(model);
      log.warn({ model, reason: issue }, 'new payments are refused');
    } else if (issue === null && unsold.delete(model)) log.info({ model }, 'new payments are accepted again');
    return issue;
  }
}

/** Names the models with a reason, at most five of them, and each reason once. Null if no model has one. */
function nameModels(
  what: string,
  all: readonly CheckedModel[],
  reasonOf: (model: CheckedModel) => string | null,
): string | null {
  const found = all.filter((model) => reasonOf(model) !== null);
  if (found.length === 0) return null;
  const named = found.slice(0, modelsNamedMax).map(({ id }) => id);
  const more = found.length > named.length ? ` and ${found.length - named.length} more` : '';
  return `${what}: ${named.join(', ')}${more}: ${[...new Set(found.map(reasonOf))].join('; ')}`;
}

/** The results of a call, of which the last one is cached. */
export type Remembered<T> = {
  /**
   * A result that is younger than the maximum age. From half that age on it is renewed in the background, so that no caller
   * waits under load.
   */
  recent(): Promise<T>;
  /** The last result, of any age; undefined before the first one. */
  last(): T | undefined;
};

/** Caches the result of `ask`. */
export function remembered<T>(ask: () => Promise<T>, ageMaxMs: number, clock: Clock): Remembered<T> {
  let last: { readonly result: T; readonly at: number } | null = null;
  let asking: Promise<T> | null = null;
  return {
    recent() {
      const ageMs = last === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() - last.at;
      if (last === null || ageMs >= ageMaxMs) return renew();
      // If the error lasts, the next caller with an expired result gets it.
      if (ageMs >= ageMaxMs / 2) renew().catch(() => undefined);
      return Promise.resolve(last.result);
    },
    last: () => last?.result,
  };

  function renew(): Promise<T> {
    const at = clock.monotonicMs();
    asking ??= ask()
      .then((result) => {
        last = { result, at };
        return result;
      })
      .finally(() => {
        asking = null;
      });
    return asking;
  }
}
