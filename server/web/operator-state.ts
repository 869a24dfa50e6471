import type { StoredPayment, StoreReader } from '../store/reader.ts';
import type { PaymentSum } from '../store/totals.ts';
import type { GatewayState } from '../telemetry/telemetry.ts';
import type { Clock } from '../types/clock.ts';
import { nameLedger } from '../types/ledger-name.ts';
import type { PaymentState } from '../types/payment-states.ts';
import { type Address, type Bytes32, unixSeconds } from '../types/units.ts';

type Sum = { readonly payments: number; readonly amount: string };

/** A payment that the chain refused, for the operator. It has no signature, request or completion. */
export type RefusedPayment = {
  readonly id: number;
  readonly state: PaymentState;
  readonly payer: Address;
  readonly nonce: Bytes32;
  readonly amount: string;
  readonly reservedAt: number;
  readonly validBefore: string;
  readonly failure: string | null;
  /** The transactions that were sent for it. */
  readonly transactions: readonly Bytes32[];
};

/** The state of a gateway that its operator watches. Amounts are in the token's smallest unit. */
export type OperatorState = {
  readonly at: number;
  readonly version: string;
  readonly checks: readonly {
    readonly name: string;
    readonly healthIssue: string | null;
    readonly warning: string | null;
  }[];
  readonly models: readonly { readonly model: string; readonly issue: string | null }[];
  /** Payments that are not decided yet, by state. */
  readonly open: Readonly<Record<'reserved' | 'executed' | 'submitted', Sum>>;
  readonly unsettledSince: number | null;
  readonly owed: Sum;
  readonly debts: Sum;
  /** Payments that were reserved within the last 24 hours, by state. */
  readonly day: Readonly<Partial<Record<PaymentState, Sum>>>;
  readonly isDayAtLeast: boolean;
  readonly proofs: { readonly waiting: number; readonly parked: number };
  readonly refused: readonly RefusedPayment[];
};

export type OperatorPorts = GatewayState & {
  readonly store: GatewayState['store'] & {
    findSent(id: number): Promise<{ readonly transactions: readonly Bytes32[] }>;
  };
  readonly openReader: () => Promise<StoreReader | null>;
  readonly clock: Clock;
  readonly version: string;
};

/** Bounds of one reading, so that a large store stays fast. */
const readMax = 20_000;
const refusedMax = 20;
const parkedMax = 1_000;
const daySeconds = 86_400;

/** Reads the state for the operator's view. Rejects when the store cannot be read. */
export async function readOperatorState(ports: OperatorPorts): Promise<OperatorState> {
  const { store, readiness, models, network, clock, version, openReader } = ports;
  const now = clock.nowSeconds();
  const ledger = nameLedger(network.chainId, network.contract);
  const reader = await openReader();
  const since = unixSeconds(Math.max(0, now - daySeconds));
  const [report, issues, open, owed, backlog, parked, day, refused] = await Promise.all([
    readiness.report(),
    Promise.all(
      [...models.keys()].map(async (model) => ({ model, issue: await readiness.saleIssue(model) })),
    ),
    store.openTotals(),
    store.owedTotals(),
    store.backlog(ledger),
    store.parked(ledger, parkedMax),
    reader?.sumSince(since, readMax) ?? { sums: new Map<PaymentState, PaymentSum>(), isAtLeast: false },
    reader?.readNewest(['failed', 'expired'], readMax, refusedMax) ?? [],
  ]);
  return {
    at: now,
    version,
    checks: report.map(({ name, healthIssue, warning = null }) => ({ name, healthIssue, warning })),
    models: issues,
    open: {
      reserved: toSum(open.reserved),
      executed: toSum(open.executed),
      submitted: toSum(open.submitted),
    },
    unsettledSince: open.unsettledSince,
    owed: toSum(owed),
    debts: toSum(open.debts),
    day: Object.fromEntries([...day.sums].map(([state, sum]) => [state, toSum(sum)])),
    isDayAtLeast: day.isAtLeast,
    proofs: { waiting: backlog.individual + backlog.batch, parked: parked.proofs },
    refused: await Promise.all(refused.map((payment) => presentRefused(payment, store))),
  };
}

async function presentRefused(
  { id, state, authorization, createdAt, failure, txHash }: StoredPayment,
  store: OperatorPorts['store'],
): Promise<RefusedPayment> {
  const { from, nonce, value, validBefore } = authorization;
  const { transactions } = await store.findSent(id);
  const sent = transactions.length > 0 || txHash === null ? transactions : [txHash];
  return {
    id,
    state,
    payer: from,
    nonce,
    amount: String(value),
    reservedAt: createdAt,
    validBefore: String(validBefore),
    failure,
    transactions: sent,
  };
}

function toSum({ payments, amount }: PaymentSum): Sum {
  return { payments, amount: String(amount) };
}
