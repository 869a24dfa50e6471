import type { CompletionCipher } from '../completion-cipher.ts';
import type { Row, toPayment } from '../rows.ts';
import type { Connections } from './connections.ts';
import type { ServerTime } from './server-time.ts';

/** The ports that every operation needs. */
export type PostgresPorts = {
  readonly connections: Connections;
  readonly cipher: CompletionCipher;
  /** The mark of the key in the store. Another mark means that gateways with another key own the store now. */
  readonly keyMark: Uint8Array;
  readonly time: ServerTime;
  readonly balanceAgeMaxSeconds: number;
  /** Reads a row and decrypts its completion. */
  readonly read: (row: Row) => ReturnType<typeof toPayment>;
};

/** SQL that is true while this gateway has the key of the store, whose mark is the given parameter. */
export function isOwnKey(parameter: string): string {
  return `EXISTS (SELECT 1 FROM paid_inference.completion_key WHERE mark = ${parameter})`;
}
