import { Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import {
  parseProcStat,
  processCpuMs,
  residentMB,
  sumThreads,
  threadCpu,
  watchForeignLoad,
} from './processor.ts';

it('parses a stat file whose name has blanks and brackets', () => {
  const stat = '7 (a) b (c) S 3 7 7 0 -1 4194560 3058 0 2 0 11 22 33 44 20 0 8';
  expect(parseProcStat(stat)).toEqual({ name: 'a) b (c', parent: 3, ownMs: 330, endedChildrenMs: 770 });
});

it('sums threads as the main thread, workers and the rest', () => {
  const thread = (name: string, ownMs: number) => ({ name, ownMs, isMain: name === 'MainThread' });
  const threads = [thread('MainThread', 1), thread('WorkerThread', 10), thread('WorkerThread', 20)];
  const sum = sumThreads([...threads, thread('V8Worker', 100), thread('libuv-worker', 200)]);
  expect(sum).toEqual({ main: 1, workers: 30, others: 300 });
});

describe.runIf(process.platform === 'linux')('in the files of /proc', () => {
  const missing = 2 ** 30;

  it('a running process uses time and memory', () => {
    expect(processCpuMs(process.pid)).toBeGreaterThan(0);
    expect(residentMB(process.pid)).toBeGreaterThan(10);
    expect(watchForeignLoad().read()).toBeGreaterThanOrEqual(0);
  });

  it('a missing process has no figures', () => {
    expect([processCpuMs(missing), residentMB(missing), threadCpu(missing)]).toEqual([null, null, null]);
  });

  it('a busy Worker adds to the time of workers', async () => {
    const before = threadCpu(process.pid)?.workers ?? Number.NaN;
    const worker = new Worker('for (;;);', { eval: true });
    try {
      await vi.waitFor(
        () => expect(threadCpu(process.pid)?.workers).toBeGreaterThanOrEqual(before + 50),
        20_000,
      );
    } finally {
      await worker.terminate();
    }
  });
});
