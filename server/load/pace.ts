import { setTimeout as after, setImmediate as nextTurn } from 'node:timers/promises';

/** A clock that can wait. */
export type Pace = {
  nowMs(): number;
  /** Waits at least this long. With 0, other work of the process has its turn. */
  wait(ms: number): Promise<void>;
};

export const systemPace: Pace = {
  nowMs: () => performance.now(),
  wait: (ms) => (ms > 0 ? after(ms) : nextTurn()),
};
