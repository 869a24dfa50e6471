import { expect, it } from 'vitest';
import { createMatrixProgress } from './progress.ts';

function writtenOn(isTTY: boolean, runs: number): readonly string[] {
  const written: string[] = [];
  const progress = createMatrixProgress({ isTTY, write: (text: string) => void written.push(text) });
  for (let done = 1; done <= runs; done += 1) progress.onProgress(done, 120, `mutant-${done}`);
  progress.clear();
  return written;
}

it('writes the progress in one line of a terminal, and clears the line at the end', () => {
  const back = '\r\x1b[K';
  expect(writtenOn(true, 2)).toEqual([`${back}1/120 mutant-1`, `${back}2/120 mutant-2`, back]);
});

it('writes a line for every 50 runs without a terminal, with no control characters', () => {
  expect(writtenOn(false, 120)).toEqual(['50/120 mutant-50\n', '100/120 mutant-100\n']);
});

it('writes each unexpected result at once', () => {
  const written: string[] = [];
  const progress = createMatrixProgress({ isTTY: false, write: (text: string) => void written.push(text) });
  progress.onFault('price-of-zero', { kind: 'broken', why: 'the edge failed: no port' });
  progress.onFault('any-recipient', { kind: 'not-applied' });
  expect(written).toEqual([
    'broken price-of-zero: the edge failed: no port\n',
    'not-applied any-recipient\n',
  ]);
});
