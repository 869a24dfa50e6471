import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { type OutgoingRequest, readRequest } from './outgoing-request.ts';

const url = 'https://gateway.example/v1/chat/completions';
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const readings: Record<string, (signal: AbortSignal) => Promise<OutgoingRequest>> = {
  'of the second argument': (signal) => readRequest(url, { signal }),
  'of a Request': (signal) => readRequest(new Request(url, { signal }), undefined),
  'of the second argument, next to a Request': (signal) => readRequest(new Request(url), { signal }),
};

test.each(Object.entries(readings))('Keeps the signal %s over a garbage collection', async (_, read) => {
  const caller = new AbortController();
  const request = await read(caller.signal);
  // A finished function leaves its last values on the stack until the next turn.
  for (let turn = 0; turn < 3; turn++) {
    await pause(10);
    collectGarbage();
  }
  caller.abort();
  expect(request.signal.aborted).toBe(true);
});

test('Ignores the signal of a Request if the second argument has none', async () => {
  const aborted = AbortSignal.abort();
  const request = await readRequest(new Request(url, { signal: aborted }), { signal: null });
  expect(request.signal.aborted).toBe(false);
});
