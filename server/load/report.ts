import { spread } from '../bench/measure/statistics.ts';
import type { Report, Row } from '../bench/section.ts';
import { quantileMs, type Reading, ratePerSecond } from './readings.ts';

const columns = [
  'completions/s',
  '503/s',
  'other responses/s',
  'p99 ms of completions',
  'settlement queue',
  'oldest payment s',
  'oldest proof s',
  'requests in progress',
  'memory MB',
  'event loop p99 ms',
] as const;

/** The readings of a phase as a chart: rates and times between two readings, and gauges at the second one. */
export function chartReadings(id: string, title: string, readings: readonly Reading[]): Report {
  const [first] = readings;
  const rows = readings.slice(1).map((after, at): Row => {
    const before = readings[at] as Reading;
    const figures: Record<(typeof columns)[number], number> = {
      'completions/s': ratePerSecond(before, after, (status) => status === 200),
      '503/s': ratePerSecond(before, after, (status) => status === 503),
      'other responses/s': ratePerSecond(before, after, (status) => status !== 200 && status !== 503),
      'p99 ms of completions': quantileMs(before, after, 0.99) || 0,
      'settlement queue': after.settlementQueue,
      'oldest payment s': after.oldestSeconds,
      'oldest proof s': after.oldestProofSeconds,
      'requests in progress': after.activeRequests,
      'memory MB': after.memoryMB,
      'event loop p99 ms': after.eventLoopMs,
    };
    return {
      name: `${((after.atMs - (first?.atMs ?? 0)) / 1_000).toFixed(0)} s`,
      cells: Object.fromEntries(columns.map((column) => [column, spread([figures[column]])])),
    };
  });
  const method = 'Metrics of the gateway itself, read at its admin address.';
  return { id, title, method, rows, ratios: [], chart: { lines: [...columns] } };
}
