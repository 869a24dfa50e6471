import type { Engine, EngineUpstream } from '../inference/engine.ts';
import type { Log } from '../observe/log.ts';
import type { ReadinessReport } from '../request/handlers.ts';
import type { Settler } from '../settlement/settler.ts';
import type { OpenStore } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';

export type ReadinessPorts = {
  readonly store: Pick<OpenStore, 'healthIssue'>;
  readonly settler: Pick<Settler, 'healthIssue' | 'warning' | 'saleIssue'>;
  /** Of the key that answers are proven with, and of the network that proofs are recorded on. */
  readonly proofs: { keyIssue(): string | null; healthIssue(): string | null };
  readonly models: ReadonlyMap<string, { readonly engine: Engine }>;
  readonly isStopping: () => boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** How old the health of store and settlement may be, */
  readonly healthAgeMaxMs: number;
  /** and that of an upstream. */
  readonly upstreamHealthAgeMaxMs: number;
};

export type Readiness = {
  /** What `GET /ready` shows. */
  report(): Promise<ReadinessReport>;
  /** Why a new payment for this model could not be recorded, served or settled now; null where it could (D-143). */
  saleIssue(model: string): Promise<string | null>;
};

const modelsNamedMax = 5;

/** Whether something can be sold now. Readiness and new payments go by the same health. */
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
  return { report, saleIssue: async (model) => tell(model, await findSaleIssue(model)) };

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
      // Proofs wait for the ledger network, and no purchase does; with a key that proves nothing, nothing is sold.
      { name: 'proofs', healthIssue: proofs.keyIssue(), warning: proofs.healthIssue() },
      { name: 'models', ...upstream },
    ];
  }

  async function findSaleIssue(model: string): Promise<string | null> {
    const issues = await Promise.all([storeIssue(), unsettledIssue(), upstreamIssue(model)]);
    return issues.find((issue) => issue !== null) ?? proofs.keyIssue();
  }

  /** One model that can be sold is enough. */
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
    // Models of one upstream share one question.
    const known =
      upstreams.get(upstream) ?? remembered(() => upstream.issue(), ports.upstreamHealthAgeMaxMs, clock);
    upstreams.set(upstream, known);
    return known();
  }

  /** Says once that a model is not sold, and once that it is sold again. */
  function tell(model: string, issue: string | null): string | null {
    if (issue !== null && !unsold.has(model)) {
      unsold.add(model);
      log.warn({ model, reason: issue }, 'new payments are not taken');
    } else if (issue === null && unsold.delete(model)) log.info({ model }, 'new payments are taken again');
    return issue;
  }
}

/**
 * Asks at most twice in so long, however many ask. An answer of half that age is renewed in the background, so that under
 * load nobody waits.
 */
export function remembered<T>(ask: () => Promise<T>, ageMaxMs: number, clock: Clock): () => Promise<T> {
  let last: { readonly answer: T; readonly at: number } | null = null;
  let asking: Promise<T> | null = null;
  return () => {
    const ageMs = last === null ? Number.POSITIVE_INFINITY : clock.monotonicMs() - last.at;
    if (last === null || ageMs >= ageMaxMs) return renew();
    // Whoever comes next with an old answer hears of what is thrown here.
    if (ageMs >= ageMaxMs / 2) renew().catch(() => undefined);
    return Promise.resolve(last.answer);
  };

  function renew(): Promise<T> {
    const at = clock.monotonicMs();
    asking ??= ask()
      .then((answer) => {
        last = { answer, at };
        return answer;
      })
      .finally(() => {
        asking = null;
      });
    return asking;
  }
}
