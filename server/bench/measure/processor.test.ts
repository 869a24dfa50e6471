import { expect, test } from 'vitest';
import { parseProcStat, processCpuMs, residentMB, watchForeignLoad } from './processor.ts';

test('a name with blanks and brackets does not shift the fields of /proc', () => {
  const stat = '7 (a) b (c) S 3 7 7 0 -1 4194560 3058 0 2 0 11 22 33 44 20 0 8';
  expect(parseProcStat(stat)).toEqual({ name: 'a) b (c', parent: 3, ownMs: 330, endedChildrenMs: 770 });
});

test.runIf(process.platform === 'linux')(
  'a running process uses time and memory, and a missing one none',
  () => {
    expect(processCpuMs(process.pid)).toBeGreaterThan(0);
    expect(processCpuMs(2 ** 30)).toBeNull();
    expect(residentMB(process.pid)).toBeGreaterThan(10);
    expect(residentMB(2 ** 30)).toBeNull();
    expect(watchForeignLoad().read()).toBeGreaterThanOrEqual(0);
  },
);
