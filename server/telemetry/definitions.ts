/** The definition of a metric. Each label has few values, and none of them comes from a client (D-301). */
type Definition = {
  /** A held histogram is one for the path of every request. */
  readonly type: 'counter' | 'gauge' | 'histogram' | 'held histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** The upper bounds of a histogram. */
  readonly buckets?: readonly number[];
};

/** From a response of the gateway itself to a long inference. */
const requestSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const callSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** The bounds that OpenTelemetry advises for each metric. */
const inferenceSeconds = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const firstTokenSeconds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const outputTokenSeconds = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5];
const tokens = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

const model = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;

/**
 * Every metric of the gateway. Where OpenTelemetry has a name, the metric has it, in the spelling of Prometheus. Amounts
 * are in the token's smallest unit. A restart sets counters to zero.
 */
export const definitions = {
  http_server_request_duration_seconds: {
    type: 'held histogram',
    help: 'Time from the head of a request to the end of its response',
    labels: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: requestSeconds,
  },
  http_server_active_requests: { type: 'gauge', help: 'Requests in progress', labels: [] },
  gen_ai_server_request_duration_seconds: {
    type: 'histogram',
    help: 'Time of an inference; error_type is empty if it succeeded',
    labels: [...model, 'error_type'],
    buckets: inferenceSeconds,
  },
  gen_ai_server_time_to_first_token_seconds: {
    type: 'histogram',
    help: 'Time until the first part of a streamed inference',
    labels: model,
    buckets: firstTokenSeconds,
  },
  gen_ai_server_time_per_output_token_seconds: {
    type: 'histogram',
    help: 'Time of a streamed inference after its first part, for each further token',
    labels: model,
    buckets: outputTokenSeconds,
  },
  gen_ai_client_token_usage: {
    type: 'histogram',
    help: 'Tokens of an inference; gen_ai_token_type is input or output',
    labels: [...model, 'gen_ai_token_type'],
    buckets: tokens,
  },
  paid_inference_inferences_in_progress: {
    type: 'gauge',
    help: 'Inferences that run now',
    labels: ['gen_ai_request_model'],
  },
  paid_inference_requests_total: {
    type: 'counter',
    help: 'Requests for a completion: offer (no payment), sold, replayed, an error code, or the reason of a refusal',
    labels: ['model', 'outcome'],
  },
  paid_inference_income_total: {
    type: 'counter',
    help: 'Sum of the prices of completions that were returned with a receipt for the first time',
    labels: ['model'],
  },
  paid_inference_payments_total: {
    type: 'counter',
    help: 'Payments that this process brought into a state',
    labels: ['state'],
  },
  paid_inference_payment_failures_total: {
    type: 'counter',
    help: 'Payments that the chain refused after their inference, by reason',
    labels: ['reason'],
  },
  paid_inference_open_payments: {
    type: 'gauge',
    help: 'Payments in the store that are not decided yet: reserved, executed or submitted',
    labels: ['state'],
  },
  paid_inference_open_amount: {
    type: 'gauge',
    help: 'Amount of these payments',
    labels: ['state'],
  },
  paid_inference_settlement_oldest_seconds: {
    type: 'gauge',
    help: 'Time since the reservation of the oldest payment that waits for its settlement; 0 without one',
    labels: [],
  },
  paid_inference_settlement_batch_payments: {
    type: 'histogram',
    help: 'Payments in one settlement transaction',
    labels: [],
    buckets: [1, 2, 5, 10, 20, 50, 100],
  },
  paid_inference_settlement_transactions_total: {
    type: 'counter',
    help: 'Settlement transactions in blocks: mined, or reverted as a whole',
    labels: ['result'],
  },
  paid_inference_settlement_gas_per_payment: {
    type: 'histogram',
    help: 'Gas of a settlement transaction, divided by its payments',
    labels: [],
    buckets: [20_000, 30_000, 40_000, 50_000, 60_000, 80_000, 100_000, 150_000, 250_000],
  },
  paid_inference_settlement_fee_ether_total: {
    type: 'counter',
    help: 'Ether that settlement transactions cost',
    labels: [],
  },
  paid_inference_relayer_balance_ether: {
    type: 'gauge',
    help: 'Ether of a relayer at its last reading',
    labels: ['relayer'],
  },
  paid_inference_relayer_payments_covered: {
    type: 'gauge',
    help: 'Payments that this ether settles, at the current fee and the mean gas per payment since the start (66000 before)',
    labels: ['relayer'],
  },
  paid_inference_rpc_duration_seconds: {
    type: 'histogram',
    help: 'Time of a call to an RPC endpoint, named by its place in the settings',
    labels: ['chain', 'endpoint'],
    buckets: callSeconds,
  },
  paid_inference_rpc_calls_total: {
    type: 'counter',
    help: 'Calls to an RPC endpoint: ok, refused (an error of the chain) or unavailable (no usable response)',
    labels: ['chain', 'endpoint', 'method', 'result'],
  },
  paid_inference_rpc_endpoint_up: {
    type: 'gauge',
    help: '1 if the last call to an RPC endpoint got a usable response',
    labels: ['chain', 'endpoint'],
  },
  paid_inference_rpc_endpoint_block: {
    type: 'gauge',
    help: 'Newest block that an RPC endpoint has shown',
    labels: ['chain', 'endpoint'],
  },
  paid_inference_store_duration_seconds: {
    type: 'histogram',
    help: 'Time of an operation of the store',
    labels: ['operation'],
    buckets: callSeconds,
  },
  paid_inference_store_failures_total: {
    type: 'counter',
    help: 'Operations of the store that failed: unavailable, lease (another process took over) or defect',
    labels: ['kind'],
  },
  paid_inference_store_operations_in_progress: {
    type: 'gauge',
    help: 'Operations that wait for the store',
    labels: [],
  },
  paid_inference_proof_backlog: {
    type: 'gauge',
    help: 'Proofs that are not recorded: individual, batch (in no batch yet), formed (in a batch), parked, or elsewhere (for another proof ledger)',
    labels: ['kind'],
  },
  paid_inference_proof_oldest_seconds: {
    type: 'gauge',
    help: 'Time since the oldest proof of type batch without a batch became due; 0 without one',
    labels: [],
  },
  paid_inference_owed_completions: {
    type: 'gauge',
    help: 'Charged payments whose completion is not made yet',
    labels: [],
  },
  paid_inference_owed_amount: { type: 'gauge', help: 'Amount of these payments', labels: [] },
  paid_inference_bad_debts: {
    type: 'gauge',
    help: 'Payments that were refused after their inference, and are not paid since',
    labels: [],
  },
  paid_inference_bad_debt_amount: { type: 'gauge', help: 'Amount of these payments', labels: [] },
  paid_inference_ready: {
    type: 'gauge',
    help: '1 if a check of GET /ready succeeded',
    labels: ['check'],
  },
  paid_inference_warning: {
    type: 'gauge',
    help: '1 if a check of GET /ready has a warning',
    labels: ['check'],
  },
  paid_inference_model_for_sale: {
    type: 'gauge',
    help: '1 if new payments for a model are accepted now',
    labels: ['model'],
  },
  paid_inference_log_lines_total: {
    type: 'counter',
    help: 'Lines of the log with the level warn or error',
    labels: ['level'],
  },
  paid_inference_source_up: {
    type: 'gauge',
    help: '1 if this scrape could read a source: readiness, store or proofs; otherwise its metrics are missing',
    labels: ['source'],
  },
  paid_inference_info: {
    type: 'gauge',
    help: 'Always 1; its labels describe the gateway',
    labels: ['version', 'chain_id', 'settled_by', 'store'],
  },
} as const satisfies Readonly<Record<string, Definition>>;

export type MetricName = keyof typeof definitions;
export type LabelsOf<Name extends MetricName> = (typeof definitions)[Name]['labels'][number];

/** The rows of the table in MONITORING.md. */
export function metricsTable(): string {
  const rows = Object.entries<Definition>(definitions).map(([name, { type, labels, help }]) => {
    const shown = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type.replace('held ', '')} | ${shown} | ${help} |`;
  });
  return ['| metric | type | labels | what it is |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
