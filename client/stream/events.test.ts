import { expect, test } from 'vitest';
import { streamCommentsMax } from '../limits.ts';
import { readEvents, type StreamPart } from './events.ts';

/** Reads a body whose bytes arrive in pieces of a length. */
async function read(text: string, length: number, bytesMax = 1_000): Promise<readonly StreamPart[]> {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length));
      controller.close();
    },
  });
  const bounds = { bytesMax, idleMs: 1_000, signal: new AbortController().signal };
  const parts: StreamPart[] = [];
  for await (const part of readEvents(body, bounds)) parts.push(part);
  return parts;
}

const lines = [
  ': wait',
  '',
  'event: message',
  'id: 1',
  'data: one',
  'data:two',
  '',
  'retry: 5',
  'data: ä',
  '',
];
const parts: readonly StreamPart[] = [
  { kind: 'comment', text: ' wait' },
  { kind: 'data', data: 'one\ntwo' },
  { kind: 'data', data: 'ä' },
];

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('Reads events whose lines end with %s, however the bytes arrive', async (_, end) => {
  for (const length of [1, 2, 3, 1_000]) expect(await read(lines.join(end) + end, length)).toEqual(parts);
});

test('The end of the body ends the last event, with or without its last line break', async () => {
  const done = [{ kind: 'data', data: '[DONE]' }];
  for (const text of ['data: [DONE]\n\n', 'data: [DONE]\n', 'data: [DONE]'])
    for (const length of [1, 1_000]) expect(await read(text, length)).toEqual(done);
});

test('A stream of comments without end is broken off', async () => {
  const text = ': a\n'.repeat(streamCommentsMax + 1);
  await expect(read(text, 100_000, text.length)).rejects.toThrow('too many comments');
  expect(await read(text.slice(4), 100_000, text.length)).toHaveLength(streamCommentsMax);
});
