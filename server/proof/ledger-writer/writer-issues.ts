import type { RpcFault } from '../../chain/rpc.ts';

/** What else cannot be recorded for the same reason: nothing else, everything of its kind, or everything at all. */
export type Reach = 'one' | 'kind' | 'node';

/** Why something cannot be recorded now, in a sentence for the operator. A later round tries again. */
export class WriterIssues extends Error {
  override readonly name = 'WriterIssues';
  readonly reach: Reach;

  constructor(sentence: string, reach: Reach = 'kind') {
    super(sentence);
    this.reach = reach;
  }
}

/** The node of the ledger network said nothing, or nothing that can be read. */
export function silent(fault: Pick<RpcFault, 'message'>): WriterIssues {
  return new WriterIssues(`the ledger network does not answer: ${fault.message}`, 'node');
}
