import type { AnswerCipher } from '../answer-cipher.ts';
import type { paymentOf, Row } from '../rows.ts';
import type { Connections } from './connections.ts';
import type { ServerTime } from './server-time.ts';

/** What every operation works with. */
export type PostgresPorts = {
  readonly connections: Connections;
  readonly cipher: AnswerCipher;
  readonly time: ServerTime;
  readonly balanceAgeMaxSeconds: number;
  /** A row and the answer in it, opened. */
  readonly read: (row: Row) => ReturnType<typeof paymentOf>;
};
