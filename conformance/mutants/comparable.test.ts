import { expect, it } from 'vitest';
import type { EvidenceEntry, Report } from '../index.ts';
import { findWitness } from './comparable.ts';

const end = 'data: {"text":"","finish_reason":"stop"}\n\n: X-INFERENCE-PROOF: proof\n\ndata: [DONE]\n\n';
const chunks = (...texts: readonly string[]) =>
  `${texts.map((text) => `data: {"text":"${text}","finish_reason":null}\n\n`).join('')}${end}`;

it('finds no difference between a live stream and a stream of a known completion (D-272)', () => {
  const known = report(chunks('One, \\"two\\"'), { 'x-inference-proof': 'proof' });
  const live = report(chunks('One, ', '\\"two\\"'), {});
  expect(findWitness(known, live)).toBeUndefined();
  expect(findWitness(live, known)).toBeUndefined();
});

it.each([
  ['another text', chunks('One, ', 'three')],
  ['an event too many', `data: {}\n\n${chunks('One, \\"two\\"')}`],
  ['another proof', chunks('One, \\"two\\"').replace('proof', 'other')],
])('finds %s in a stream', (_, body) => {
  const sound = report(chunks('One, \\"two\\"'), {});
  expect(findWitness(sound, report(body, {}))).toMatchObject({ exchange: 1, change: '200 -> 200' });
});

/** A report of one exchange. */
function report(body: string, headers: Readonly<Record<string, string>>): Report {
  const entry: EvidenceEntry = {
    number: 1,
    request: { method: 'POST', url: 'http://localhost/v1/completions', headers: {}, body: '{}' },
    response: { status: 200, headers: { 'content-type': 'text/event-stream', ...headers }, body },
  };
  return { target: 'http://localhost', exchanges: [entry] } as unknown as Report;
}
