import type { Engine, EngineUpstream } from '../inference/engine.ts';
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
   * Why the gateway cannot record, serve or settle a new payment for this model now; null if it can (D-143).
   */
  saleIssue(model: string): Promise<string | null>;
};

const modelsNamedMax = 5;

/** Decides whether the gateway can sell. `GET /ready` and new payments use the same health results. */
export function createReadiness(ports: ReadinessPorts): Readiness {
  const { store, settler, proofs, models, isStopping, clock, log, healthAgeMaxMs } = ports;
  const recent = <T>(ask: () => Promise<T>) => remembered(ask, healthAgeMaxMs, clock);
  const storeIssue = recent(() => store.healthIssue());
  const settlementIssue = recent(() => settler.healthIssue());
  const settlementWarning = recent(async () => (await settler.warning?.()) ?? null);
  const { saleIssue } = settler;
  const unsettledIssue = saleIssue === undefined ? settlementIssue : recent(() => saleIssue());
  const upstreams = new Map<EngineUpstream, () => Promise<string | null>>();
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
      { name: 'store', healthIssue: store },
      { name: 'settlement', healthIssue: settlement, warning },
      // Sales go on while the proof ledger is down. With a revoked enclave key the gateway sells nothing.
      { name: 'proofs', healthIssue: proofs.keyIssue(), warning: proofs.healthIssue() },
      { name: 'models', ...upstream },
    ];
  }

  async function findSaleIssue(model: string): Promise<string | null> {
    const issues = await Promise.all([storeIssue(), unsettledIssue(), upstreamIssue(model)]);
    return issues.find((issue) => issue !== null) ?? proofs.keyIssue();
  }

  /** Ready if at least one model can be sold. */
  async function modelsReport(): Promise<{ readonly healthIssue: string | null; readonly warning?: string }> {
    const all = [...models.keys()];
    const issues = await Promise.all(all.map(async (id) => ({ id, issue: await upstreamIssue(id) })));
    const away = issues.filter(({ issue }) => issue !== null);
    if (away.length === 0) return { healthIssue: null };
    const reasons = new Set(away.map(({ issue }) => issue));
    const named = away.slice(0, modelsNamedMax).map(({ id }) => id);
    const more = away.length > named.length ? ` and ${away.length - named.length} more` : '';
    const sentence = `cannot be sold now: ${named.join(', ')}${more}: ${[...reasons].join('; ')}`;
    return away.length === all.length ? { healthIssue: sentence } : { healthIssue: null, warning: sentence };
  }

  function upstreamIssue(model: string): Promise<string | null> {
    const upstream = models.get(model)?.engine.upstream;
    if (upstream === undefined) return Promise.resolve(null);
    // Models of one upstream share its health result.
    const known =
      upstreams.get(upstream) ?? remembered(() => upstream.issue(), ports.upstreamHealthAgeMaxMs, clock);
    upstreams.set(upstream, known);
    return known();
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

/**
 * Caches the result of `ask` for `ageMaxMs`. From half that age on it is renewed in the background, so that no
 * caller waits under load.
 */
export function remembered<T>(ask: () => Promise<T>, ageMaxMs: number, clock: Clock): () => Promise<T> {
  let last: { readonly result: T; readonly at: number } | null = null;
  let asking: Promise<T> | null = null;
  return () => {
    const ageMs = last === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() - last.at;
    if (last === null || ageMs >= ageMaxMs) return renew();
    // If the error lasts, the next caller with an expired result gets it.
    if (ageMs >= ageMaxMs / 2) renew().catch(() => undefined);
    return Promise.resolve(last.result);
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
