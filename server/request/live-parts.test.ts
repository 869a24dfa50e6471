import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { InferenceDelta } from '../inference/engine.ts';
import { pong } from '../testing/counting-engine.ts';
import { text } from '../testing/inference/exchange.ts';
import { createLiveParts, type LiveParts, type PartsEnd, StreamBroken } from './live-parts.ts';

const write = (written: string): InferenceDelta => ({ kind: 'text', text: written });
const call: InferenceDelta = {
  kind: 'call',
  call: { id: 'one', type: 'function', function: { name: 'look', arguments: '{}' } },
};
const end: PartsEnd = { inference: pong(text()), proof: 'proof' };

async function readAll(parts: LiveParts) {
  const read: InferenceDelta[] = [];
  const reader = parts.read();
  for (;;) {
    const next = await reader.next();
    if (next.done) return { read, end: next.value };
    read.push(next.value);
  }
}

it('gives each part to a reader that waits', async () => {
  const parts = createLiveParts();
  const reader = parts.read();
  const first = reader.next();
  parts.push(write('a'));
  expect((await first).value).toEqual(write('a'));
  const second = reader.next();
  parts.push(write('b'));
  expect((await second).value).toEqual(write('b'));
  const last = reader.next();
  parts.end(end);
  expect(await last).toEqual({ done: true, value: end });
  expect([parts.state, parts.text()]).toEqual(['ended', 'ab']);
});

it('gives a late reader all parts, with joined texts', async () => {
  const parts = createLiveParts();
  for (const part of [write('a'), write('b'), call, write('c')]) parts.push(part);
  parts.end(end);
  expect(await readAll(parts)).toEqual({ read: [write('ab'), call, write('c')], end });
  expect(await readAll(parts)).toEqual({ read: [write('ab'), call, write('c')], end });
});

it.each([
  ['one part', [write('😀'.repeat(100_000))]],
  ['many parts', Array.from({ length: 200_000 }, (_, at) => write(String(at % 10)))],
  ['an odd place of a pair', [write('a'), write('😀'.repeat(100_000))]],
])('gives a late reader a long text in pieces, with whole pairs: %s (D-269)', async (_name, written) => {
  const parts = createLiveParts();
  for (const part of written) parts.push(part);
  parts.end(end);
  const { read } = await readAll(parts);
  const texts = read.map((part) => (part.kind === 'text' ? part.text : ''));
  expect(texts.join('')).toBe(parts.text());
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(16_384);
  expect(texts.length).toBeLessThan(15);
  expect(texts.every((each) => each.isWellFormed())).toBe(true);
});

it('throws for all readers when the stream breaks', async () => {
  const parts = createLiveParts();
  const [waiting, late] = [parts.read(), parts.read()];
  const next = waiting.next();
  parts.push(write('a'));
  await next;
  const broken = waiting.next();
  parts.break();
  await expect(broken).rejects.toThrow(StreamBroken);
  expect((await late.next()).value).toEqual(write('a'));
  await expect(late.next()).rejects.toThrow(StreamBroken);
  expect(parts.state).toBe('broken');
});

it('lets few readers go on in one turn of the event loop, and a reader of another stream among the first (D-269)', async () => {
  const [crowded, other] = [createLiveParts(), createLiveParts()];
  let served = 0;
  const crowd = Array.from({ length: 100 }, async () => {
    const reader = crowded.read();
    await reader.next();
    served += 1;
    return reader.return(end);
  });
  let servedBefore = 0;
  const single = (async () => {
    await other.read().next();
    servedBefore = served;
  })();
  await nextTurn();
  await nextTurn();
  crowded.push(write('a'));
  other.push(write('b'));
  await single;
  expect(servedBefore).toBeLessThanOrEqual(32);
  await Promise.all(crowd);
  expect(served).toBe(100);
});
