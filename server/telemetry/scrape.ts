import { setTimeout as after } from 'node:timers/promises';
import type { Clock } from '../types/clock.ts';
import { nameLedger } from '../types/ledger-name.ts';
import { unixSeconds } from '../types/units.ts';
import { clearGauges, type GaugeName, type Instruments } from './instruments.ts';
import type { GatewayState } from './telemetry.ts';

type Ports = { readonly instruments: Instruments; readonly clock: Clock };

/** How long a scrape waits for a source. A slow store must not take the other metrics with it. */
const sourceTimeoutMsDefault = 2_000;
/** Parked and foreign proofs are counted up to this number. */
const proofsMax = 1_000;
/** Batches that are read, to count their proofs. */
const batchesMax = 16;

type Source = {
  readonly name: 'readiness' | 'store' | 'proofs';
  /** The gauges of the source. Without a result they have no value. */
  readonly gauges: readonly GaugeName[];
  /** Reads the source, and returns a function that sets its gauges. */
  readonly read: () => Promise<() => void>;
};

/** Returns a function that reads the state of the gateway into the gauges. It never rejects. */
export function createScrape(
  state: GatewayState,
  ports: Ports,
  sourceTimeoutMs = sourceTimeoutMsDefault,
): () => Promise<void> {
  const sources = [readinessSource(state, ports), storeSource(state, ports), proofSource(state, ports)];
  return async () => {
    await Promise.all(sources.map((source) => readSource(source, ports, sourceTimeoutMs)));
  };
}

async function readSource(
  { name, gauges, read }: Source,
  { instruments }: Ports,
  timeoutMs: number,
): Promise<void> {
  const set = await Promise.race([read().catch(() => null), after(timeoutMs, null, { ref: false })]);
  clearGauges(instruments, gauges);
  set?.();
  instruments.paid_inference_source_up.set({ source: name }, set === null ? 0 : 1);
}

/** The readiness reads the relayers' balances, too. */
function readinessSource({ readiness, models }: GatewayState, { instruments }: Ports): Source {
  const { paid_inference_ready, paid_inference_warning, paid_inference_model_for_sale } = instruments;
  return {
    name: 'readiness',
    gauges: ['paid_inference_ready', 'paid_inference_warning', 'paid_inference_model_for_sale'],
    async read() {
      const report = await readiness.report();
      const issues = await Promise.all(
        [...models.keys()].map(async (model) => ({ model, issue: await readiness.saleIssue(model) })),
      );
      return () => {
        for (const { name: check, healthIssue, warning = null } of report) {
          paid_inference_ready.set({ check }, healthIssue === null ? 1 : 0);
          paid_inference_warning.set({ check }, warning === null ? 0 : 1);
        }
        for (const { model, issue } of issues)
          paid_inference_model_for_sale.set({ model }, issue === null ? 1 : 0);
      };
    },
  };
}

function storeSource({ store }: GatewayState, { instruments, clock }: Ports): Source {
  return {
    name: 'store',
    gauges: [
      ...(['paid_inference_open_payments', 'paid_inference_open_amount'] as const),
      'paid_inference_settlement_oldest_seconds',
      ...(['paid_inference_owed_completions', 'paid_inference_owed_amount'] as const),
      ...(['paid_inference_bad_debts', 'paid_inference_bad_debt_amount'] as const),
    ],
    async read() {
      const [open, owed] = await Promise.all([store.openTotals(), store.owedTotals()]);
      const { unsettledSince, debts } = open;
      return () => {
        for (const state of ['reserved', 'executed', 'submitted'] as const) {
          instruments.paid_inference_open_payments.set({ state }, open[state].payments);
          instruments.paid_inference_open_amount.set({ state }, Number(open[state].amount));
        }
        instruments.paid_inference_settlement_oldest_seconds.set(ageSeconds(unsettledSince, clock));
        instruments.paid_inference_owed_completions.set(owed.payments);
        instruments.paid_inference_owed_amount.set(Number(owed.amount));
        instruments.paid_inference_bad_debts.set(debts.payments);
        instruments.paid_inference_bad_debt_amount.set(Number(debts.amount));
      };
    },
  };
}

function proofSource({ store, network }: GatewayState, { instruments, clock }: Ports): Source {
  const proofLedger = nameLedger(network.chainId, network.contract);
  return {
    name: 'proofs',
    gauges: ['paid_inference_proof_backlog', 'paid_inference_proof_oldest_seconds'],
    async read() {
      const dueBefore = unixSeconds(clock.steadySeconds() + 1);
      const [backlog, formed, parked, elsewhere] = await Promise.all([
        store.backlog(proofLedger),
        store.openBatches(proofLedger, batchesMax),
        store.parked(proofLedger, proofsMax),
        store.waitingElsewhere(proofLedger, dueBefore, proofsMax),
      ]);
      const { individual, batch, batchSince } = backlog;
      const counts = {
        individual,
        batch,
        formed: formed.reduce((sum, { proofs }) => sum + proofs.length, 0),
        parked: parked.proofs,
        elsewhere: elsewhere.proofs,
      };
      return () => {
        for (const [kind, proofs] of Object.entries(counts))
          instruments.paid_inference_proof_backlog.set({ kind }, proofs);
        instruments.paid_inference_proof_oldest_seconds.set(ageSeconds(batchSince, clock));
      };
    },
  };
}

/** A time of an earlier run may be ahead of this clock. */
function ageSeconds(since: number | null, clock: Clock): number {
  return since === null ? 0 : Math.max(0, clock.steadySeconds() - since);
}
