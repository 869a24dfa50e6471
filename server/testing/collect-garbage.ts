import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

export const collectGarbage: () => void = runInNewContext('gc');

/** The bytes of the heap that are in use after a garbage collection. */
export function readUsedHeapBytes(): number {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
}
