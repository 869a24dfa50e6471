import { setTimeout as after } from 'node:timers/promises';
import { endpoints } from '@paid-inference/contract/constants';
import type { InferenceProof, ProofRecord } from '@paid-inference/contract/types';
import { audit } from '../faults/audit.ts';
import { boughtBy, type Payment } from '../faults/buyers.ts';
import type { Scenario, ScenarioContext } from '../faults/scenario.ts';
import { createScenarioContext } from '../faults/scenario-context.ts';
import { openSharedFixtures } from '../faults/shared-fixtures.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { systemClock } from '../types/clock.ts';
import { auditProofs, type Bought, type ProofAudit } from './audit-proofs.ts';

export type TrialOptions = {
  /** Paid requests in `batch` mode. */
  readonly requests: number;
  /** How often the gateway is killed and restarted during the requests. */
  readonly kills: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
};

export type TrialFindings = ProofAudit & {
  readonly requests: number;
  readonly kills: number;
  readonly answered: number;
  readonly replayed: number;
  readonly settled: number;
  readonly tookMs: number;
};

const buyersAtOnce = 24;
/** How long a buyer retries, also while the gateway is down. */
const buyerPatienceMs = 120_000;
const recordedDeadlineMs = 60_000;
const pollMs = 250;

/** Short times, so that an incomplete batch is recorded before the test times out. */
const proofSettings = { proofPollMs: 100, proofBatchAgeSeconds: 3, proofRetryMsMax: 2_000 };

/**
 * Sends many paid requests to a real gateway process that is killed in between, on two chains that outlive it.
 * Buyers retry the same payment until they have a response. Then audits every proof on the proof ledger.
 */
export async function runTrial({ requests, kills, seed, tell }: TrialOptions): Promise<TrialFindings> {
  const startedAt = systemClock.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const fixtures = await openSharedFixtures();
  opened.defer(() => fixtures.close());
  const context = await createScenarioContext(scenario, seededRandom(seed), fixtures);
  opened.defer(() => context.close());
  await context.start({ settings: proofSettings });
  const payments = await context.buyers.signMany(requests, { settlementType: 'batch' });
  tell(`signed ${requests} payments`);
  let answered = 0;
  const progress = createMilestones(requests, (at) => tell(`${at} of ${requests} have a response`));
  const killing = killInBetween(context, kills, () => answered / requests, tell);
  await atOnce(payments, async (payment) => {
    await context.buyers.payUntilAnswered(context.anyUrl, payment, buyerPatienceMs);
    answered += 1;
    progress(answered);
  });
  await killing;
  const bought = await awaitRecords(context, payments, tell);
  tell('checking every proof on the proof ledger');
  const proofs = await auditProofs(context.chain.devnet.ledger, bought);
  tell('checking every payment on its chain');
  const paid = await audit(context);
  const settled = (await context.store.payments()).filter(({ state }) =>
    /^(settled|final)$/.test(state),
  ).length;
  const faults = [
    ...(bought.length === requests
      ? []
      : [`${requests - bought.length} requests have no response with a proof`]),
    ...(settled === requests ? [] : [`${settled} payments settled`]),
    ...proofs.faults,
    ...context.faults,
    ...paid.faults,
  ];
  const replayed = bought.filter(({ payment }) => {
    const response = boughtBy(payment);
    return response?.isReplayed;
  }).length;
  const tookMs = Math.round(systemClock.monotonicMs() - startedAt);
  return { ...proofs, requests, kills, answered: bought.length, replayed, settled, tookMs, faults };
}

const scenario: Scenario = {
  group: 'Proofs',
  name: 'killed while batches are recorded',
  store: 'sqlite',
  run: async () => undefined,
};

/**
 * Kills the gateway by SIGKILL each time when another share of the requests has a response, and restarts it.
 */
async function killInBetween(
  context: ScenarioContext,
  kills: number,
  share: () => number,
  tell: TrialOptions['tell'],
): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    while (share() < kill / (kills + 1)) await after(pollMs / 10);
    // A random moment: with an incomplete batch, or with a transaction in the pool.
    await after(context.random() * pollMs);
    await context.gateways.at(-1)?.kill();
    tell(`killed the gateway (${kill} of ${kills}) when ${Math.round(share() * 100)} % had a response`);
    await context.start({ settings: proofSettings });
  }
}

/** Returns the purchases with their proof records, once all proofs are recorded or the deadline has passed. */
async function awaitRecords(
  context: ScenarioContext,
  payments: readonly Payment[],
  tell: TrialOptions['tell'],
): Promise<readonly Bought[]> {
  const proven = payments.flatMap((payment) => {
    const response = boughtBy(payment);
    return response?.proof ? [{ payment, response: response.body, proof: response.proof }] : [];
  });
  const records = new Map<string, ProofRecord>();
  const isOpen = ({ proof }: { readonly proof: InferenceProof }) =>
    records.get(proof.proofId)?.status !== 'recorded';
  const deadline = systemClock.monotonicMs() + recordedDeadlineMs;
  for (;;) {
    await atOnce(proven.filter(isOpen), async ({ proof }) => {
      const record = await readRecord(context, proof.proofId);
      if (record !== null) records.set(proof.proofId, record);
    });
    const open = proven.filter(isOpen).length;
    tell(`recorded ${proven.length - open} of ${proven.length} proofs`);
    if (open === 0 || systemClock.monotonicMs() > deadline) break;
    await after(pollMs);
  }
  return proven.map((each) => ({ ...each, record: records.get(each.proof.proofId) ?? null }));
}

async function readRecord(context: ScenarioContext, proofId: string): Promise<ProofRecord | null> {
  const { origin } = new URL(context.anyUrl());
  const response = await fetch(`${origin}${endpoints.getProof.path.replace('{id}', proofId)}`);
  return response.status === 200 ? ((await response.json()) as ProofRecord) : null;
}

async function atOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: buyersAtOnce }, worker));
}

/** Reports every tenth of the requests. */
function createMilestones(all: number, tell: (at: number) => void): (at: number) => void {
  const step = Math.max(1, Math.round(all / 10));
  return (at) => {
    if (at % step === 0) tell(at);
  };
}
