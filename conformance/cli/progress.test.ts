import { describe, expect, it } from 'vitest';
import { checks } from '../checks/all.ts';
import { inScope } from '../engine/scope.ts';
import { createProgress } from './progress.ts';

const scope = { profiles: ['free'], filter: 'offer.scheme' } as const;

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 24, written, write: (text: string) => void written.push(text) };
}

describe('the progress of a run', () => {
  it('is one line on a terminal, which never wraps and is erased at the end', () => {
    const terminal = screen(true);
    const progress = createProgress(terminal, true, scope);
    progress.onOutcome({ requirement: 'offer.network', section: '2.8', outcome: 'fail' });
    progress.onProgress({ requirement: 'offer.scheme', done: 1, total: 2 });
    progress.clear();
    const back = '\r\x1b[K';
    expect(terminal.written).toEqual([back, '1/2 offer.scheme · 1 fa', back]);
  });

  it('is a line for each finished section in CI', () => {
    const log = screen(false);
    const progress = createProgress(log, true, scope);
    const count = checks.filter(({ requirement }) => inScope(scope, requirement)).length;
    for (let ended = 0; ended < count; ended += 1) {
      progress.onProgress({ requirement: 'offer.scheme', done: ended, total: count });
      expect(log.written).toEqual([]);
      progress.onOutcome({ requirement: 'offer.scheme', section: '2.8', outcome: 'pass' });
    }
    expect(log.written).toEqual([`2.8 Payment requirements: ${count} pass\n`]);
  });

  it('is not shown elsewhere', () => {
    const file = screen(false);
    const progress = createProgress(file, false, scope);
    progress.onOutcome({ requirement: 'offer.scheme', section: '2.8', outcome: 'pass' });
    progress.clear();
    expect(file.written).toEqual([]);
  });
});
