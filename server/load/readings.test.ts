import { expect, it } from 'vitest';
import { parseSamples } from '../testing/metrics.ts';
import { quantileMs, type Reading, ratePerSecond, readMetrics } from './readings.ts';

/** Completions within 50 ms, within 100 ms, and in total; and responses 503. */
function reading(atMs: number, [to50, to100, all]: readonly number[], refused = 0): Reading {
  const chat = 'http_request_method="POST",http_route="/v1/chat/completions"';
  const name = 'http_server_request_duration_seconds';
  const text = `
${name}_bucket{le="0.1",${chat},http_response_status_code="200"} ${to100}
${name}_bucket{le="0.05",${chat},http_response_status_code="200"} ${to50}
${name}_bucket{le="+Inf",${chat},http_response_status_code="200"} ${all}
${name}_count{${chat},http_response_status_code="200"} ${all}
${name}_bucket{le="+Inf",${chat},http_response_status_code="503"} ${refused}
${name}_count{${chat},http_response_status_code="503"} ${refused}
${name}_count{http_request_method="GET",http_route="/ready",http_response_status_code="503"} 99
paid_inference_open_payments{state="reserved"} 7
paid_inference_open_payments{state="executed"} 2
paid_inference_open_payments{state="submitted"} 3
process_resident_memory_bytes 200000000`;
  return readMetrics(parseSamples(text), atMs);
}

it('a reading has the paid requests alone, and the payments that wait for their settlement', () => {
  const { responses, settlementQueue, memoryMB } = reading(0, [1, 2, 3], 4);
  expect(responses).toEqual(
    new Map([
      [200, 3],
      [503, 4],
    ]),
  );
  expect([settlementQueue, memoryMB]).toEqual([5, 200]);
});

it('a quantile lies within its bucket, in proportion, and counts only what came between the readings', () => {
  const before = reading(0, [1_000, 1_000, 1_000]);
  expect(quantileMs(before, reading(1_000, [1_050, 1_100, 1_100]), 0.5)).toBeCloseTo(50);
  expect(quantileMs(before, reading(1_000, [1_050, 1_100, 1_100]), 0.75)).toBeCloseTo(75);
  expect(quantileMs(before, reading(1_000, [1_000, 1_000, 1_010]), 0.99)).toBeCloseTo(100);
  expect(quantileMs(before, before, 0.99)).toBeNaN();
});

it('a rate counts the responses of some statuses between two readings', () => {
  const [before, after] = [reading(0, [0, 0, 100], 10), reading(5_000, [0, 0, 600], 15)];
  expect(ratePerSecond(before, after, (status) => status === 200)).toBe(100);
  expect(ratePerSecond(before, after, (status) => status >= 500)).toBe(1);
});
