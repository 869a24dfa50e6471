import type { Screen } from '../cli/progress.ts';
import type { AnyScore } from './matrix.ts';

/** Number of runs between two lines without a terminal. */
const runsPerLine = 50;

export type MatrixProgress = {
  onProgress(done: number, total: number, id: string): void;
  onFault(id: string, score: AnyScore): void;
  clear(): void;
};

/**
 * Writes the progress of the matrix: one changing line on a terminal, elsewhere one line for every 50 runs.
 * Each result that is not as expected gets its own line at once.
 */
export function createMatrixProgress(screen: Screen): MatrixProgress {
  const back = '\r\x1b[K';
  if (screen.isTTY) {
    return {
      onFault: (id, score) => void screen.write(`${back}${faultLine(id, score)}\n`),
      onProgress: (done, total, id) => void screen.write(`${back}${done}/${total} ${id}`),
      clear: () => void screen.write(back),
    };
  }
  return {
    onFault: (id, score) => void screen.write(`${faultLine(id, score)}\n`),
    onProgress(done, total, id) {
      if (done % runsPerLine === 0) screen.write(`${done}/${total} ${id}\n`);
    },
    clear: () => undefined,
  };
}

function faultLine(id: string, score: AnyScore): string {
  if ('why' in score) return `${score.kind} ${id}: ${score.why}`;
  return 'found' in score ? `${score.kind} ${id}: failed ${score.found.join(' ')}` : `${score.kind} ${id}`;
}
