/** Measures turns of the event loop, and costs nothing until the first call. */
export type TurnWatch = {
  /** The length of a recent turn, in milliseconds. Measures the next one. */
  lastMs(): number;
};

/** In one turn Node calls the handlers of all sockets that are readable. The immediate runs after them. */
export function createTurnWatch(nowMs: () => number): TurnWatch {
  let lastMs = 0;
  let isMeasuring = false;
  return {
    lastMs() {
      if (!isMeasuring) {
        isMeasuring = true;
        const beganMs = nowMs();
        setImmediate(() => {
          lastMs = nowMs() - beganMs;
          isMeasuring = false;
        });
      }
      return lastMs;
    },
  };
}
