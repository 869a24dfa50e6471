import type { Screen } from '../cli/progress.ts';

/** Runs between two lines where there is no terminal. */
const runsPerLine = 50;

export type MatrixProgress = {
  onProgress(done: number, total: number, id: string): void;
  clear(): void;
};

/** Says how far the matrix is: on a terminal in one line that changes, elsewhere in a line now and then. */
export function createMatrixProgress(screen: Screen): MatrixProgress {
  const back = '\r\x1b[K';
  if (screen.isTTY) {
    return {
      onProgress: (done, total, id) => void screen.write(`${back}${done}/${total} ${id}`),
      clear: () => void screen.write(back),
    };
  }
  return {
    onProgress(done, total, id) {
      if (done % runsPerLine === 0) screen.write(`${done}/${total} ${id}\n`);
    },
    clear: () => undefined,
  };
}
