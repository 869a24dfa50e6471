import type { ClientBase } from 'pg';
import { writeAndUndo } from './durability.ts';
import { isDiskFault } from './faults.ts';

/** Remembers that the server's disk was full: pages with free space still take small writes then (D-142). */
export type DiskWatch = {
  /** Called with the error of every failed statement. */
  note(cause: unknown): void;
  /** After a full disk, writes new pages and undoes them. Rejects with the server's error while none fits. */
  prove(): Promise<void>;
};

/** Creates a watch. `alone` runs work on a connection, in which a transaction may stay open. */
export function createDiskWatch(
  alone: (work: (client: ClientBase) => Promise<void>) => Promise<void>,
): DiskWatch {
  let wasFull = false;
  return {
    note(cause) {
      wasFull ||= isDiskFault(cause);
    },
    async prove() {
      if (!wasFull) return;
      await alone(writeAndUndo);
      wasFull = false;
    },
  };
}
