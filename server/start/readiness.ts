import type { Log } from '../observe/log.ts';
import type { ReadinessReport } from '../request/handlers.ts';
import type { Settler } from '../settlement/settler.ts';
import type { OpenStore } from '../store/store.ts';
import { remembered } from './remembered.ts';
import { createQueueCheck, type QueuePorts } from './settlement-queue.ts';
import { createUpstreamHealth, type UpstreamHealthPorts, type UpstreamsCheck } from './upstream-health.ts';

export type ReadinessPorts = UpstreamHealthPorts &
  QueuePorts & {
    readonly store: Pick<OpenStore, 'healthIssue'>;
    readonly settler: Pick<Settler, 'healthIssue' | 'warning' | 'saleIssue'>;
    /** The health of the enclave key, and of the proof ledger. */
    readonly proofs: { keyIssue(): string | null; healthIssue(): string | null };
    readonly isStopping: () => boolean;
    /** Why the rate limits are not shared with the other gateways on the store; null when they are. */
    readonly rateLimitWarning?: () => string | null;
    readonly log: Pick<Log, 'info' | 'warn'>;
  };

export type Readiness = {
  /** The checks of `GET /ready`. */
  report(): Promise<ReadinessReport>;
  /**
   * Why the gateway cannot record, serve or settle a new payment for this model now; null if it can (D-143). Never waits
   * for the probe of an upstream whose last probe found no issue (D-357). With a payer, faults that other payers may
   * have caused do not count (D-342).
   */
  saleIssue(model: string, payer?: string): Promise<string | null>;
};

const modelsNamedMax = 5;

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
  const queueIssue = createQueueCheck(ports);
  const upstreams = createUpstreamHealth(ports);
  const unsold = new Set<string>();
  return {
    report,
    async saleIssue(model, payer) {
      const issue = logChange(model, await findSaleIssue(model));
      return issue === null || payer === undefined ? issue : findSaleIssue(model, payer);
    },
  };

  async function report(): Promise<ReadinessReport> {
    const [store, settlement, queue, warning, upstream] = await Promise.all([
      storeIssue(),
      settlementIssue(),
      queueIssue(),
      settlementWarning(),
      modelsReport(),
    ]);
    return [
      { name: 'running', healthIssue: isStopping() ? 'the gateway is shutting down' : null },
      { name: 'store', healthIssue: store, warning: ports.rateLimitWarning?.() ?? null },
      // A long queue stops the sale, and the gateway still settles and replays.
      { name: 'settlement', healthIssue: settlement, warning: queue ?? warning },
      // Sales go on while the proof ledger is down. With a revoked enclave key the gateway sells nothing.
      { name: 'proofs', healthIssue: proofs.keyIssue(), warning: proofs.healthIssue() },
      { name: 'models', ...upstream },
    ];
  }

  async function findSaleIssue(model: string, payer?: string): Promise<string | null> {
    const [store, settlement, queue, upstream] = await Promise.all([
      storeIssue(),
      unsettledIssue(),
      queueIssue(payer),
      upstreams.isKnownAvailable(model, payer) ? null : upstreams.check(model, payer),
    ]);
    return store ?? settlement ?? queue ?? upstream?.issue ?? proofs.keyIssue();
  }

  /** Ready if at least one model can be sold. */
  async function modelsReport(): Promise<{ readonly healthIssue: string | null; readonly warning?: string }> {
    const all = await Promise.all(
      [...models.keys()].map(async (id) => ({ id, ...(await upstreams.check(id)) })),
    );
    const away = nameModels('cannot be sold now', all, ({ issue }) => issue);
    if (all.every(({ issue }) => issue !== null)) return { healthIssue: away };
    const fewer = nameModels('has fewer upstreams now', all, ({ warning }) => warning);
    const warnings = [away, fewer].filter((sentence) => sentence !== null);
    return { healthIssue: null, ...(warnings.length > 0 && { warning: warnings.join('. ') }) };
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
