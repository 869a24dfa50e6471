import { endpoints } from '@paid-inference/contract/constants';
import { type Sample, sumOf } from '../testing/metrics.ts';

/** The metrics of a gateway at one moment, as far as a load test needs them. Counts are those since its start. */
export type Reading = {
  readonly atMs: number;
  /** Paid requests by status. */
  readonly responses: ReadonlyMap<number, number>;
  /** Completions by the greatest time of their bucket, each with those of all smaller buckets. */
  readonly buckets: readonly Bucket[];
  /** Payments that are executed or submitted, and not settled. */
  readonly settlementQueue: number;
  readonly oldestSeconds: number;
  /** How long the oldest proof without a batch waits. */
  readonly oldestProofSeconds: number;
  readonly activeRequests: number;
  readonly memoryMB: number;
  readonly eventLoopMs: number;
};

type Bucket = { readonly untilSeconds: number; readonly requests: number };

const duration = 'http_server_request_duration_seconds';
const route = `http_route="${endpoints.createChatCompletion.path}"`;
const statusPattern = /http_response_status_code="(\d+)"/;
const untilPattern = /le="([^"]+)"/;

export function readMetrics(samples: readonly Sample[], atMs: number): Reading {
  const paid = samples.filter(({ labels }) => labels.includes(route));
  const responses = paid
    .filter(({ name }) => name === `${duration}_count`)
    .map(({ labels, value }) => [Number(statusPattern.exec(labels)?.[1]), value] as const);
  const buckets = paid
    .filter(({ name, labels }) => name === `${duration}_bucket` && statusPattern.exec(labels)?.[1] === '200')
    .map(({ labels, value }) => ({ untilSeconds: readUntil(labels), requests: value }));
  const open = (state: string) => sumOf(samples, 'paid_inference_open_payments', `state="${state}"`);
  return {
    atMs,
    responses: new Map(responses),
    buckets: buckets.toSorted((one, other) => one.untilSeconds - other.untilSeconds),
    settlementQueue: open('executed') + open('submitted'),
    oldestSeconds: sumOf(samples, 'paid_inference_settlement_oldest_seconds'),
    oldestProofSeconds: sumOf(samples, 'paid_inference_proof_oldest_seconds'),
    activeRequests: sumOf(samples, 'http_server_active_requests'),
    memoryMB: sumOf(samples, 'process_resident_memory_bytes') / 1_000_000,
    eventLoopMs: sumOf(samples, 'nodejs_eventloop_lag_p99_seconds') * 1_000,
  };
}

function readUntil(labels: string): number {
  const until = untilPattern.exec(labels)?.[1] ?? '';
  return until === '+Inf' ? Number.POSITIVE_INFINITY : Number(until);
}

/**
 * The time below which this share of the completions between two readings lies, as `histogram_quantile` of Prometheus
 * calculates it. NaN without completions.
 */
export function quantileMs(before: Reading, after: Reading, share: number): number {
  const earlier = new Map(before.buckets.map(({ untilSeconds, requests }) => [untilSeconds, requests]));
  const counts = after.buckets.map(({ untilSeconds, requests }) => ({
    untilSeconds,
    requests: requests - (earlier.get(untilSeconds) ?? 0),
  }));
  const rank = share * (counts.at(-1)?.requests ?? 0);
  const at = counts.findIndex(({ requests }) => requests >= rank);
  const [below, bucket] = [counts[at - 1], counts[at]];
  if (rank === 0 || bucket === undefined) return Number.NaN;
  const from = below ?? { untilSeconds: 0, requests: 0 };
  // Nothing is known of the greatest times but that they are above the last bound.
  if (bucket.untilSeconds === Number.POSITIVE_INFINITY) return from.untilSeconds * 1_000;
  const part = (rank - from.requests) / (bucket.requests - from.requests);
  return (from.untilSeconds + part * (bucket.untilSeconds - from.untilSeconds)) * 1_000;
}

/** Responses with such a status in a second, between two readings. */
export function ratePerSecond(before: Reading, after: Reading, isMeant: (status: number) => boolean): number {
  const count = ({ responses }: Reading) =>
    [...responses].reduce((sum, [status, requests]) => sum + (isMeant(status) ? requests : 0), 0);
  return ((count(after) - count(before)) * 1_000) / (after.atMs - before.atMs);
}
