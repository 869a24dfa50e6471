import type { RpcFault } from '../../chain/rpc.ts';

/** How far a fault reaches: this record, all records of its kind, or all records because of the node. */
export type Reach = 'one' | 'kind' | 'node';

/** Why something cannot be recorded now, as a sentence for the operator. A later round tries again. */
export class WriterIssues extends Error {
  override readonly name = 'WriterIssues';
  readonly reach: Reach;

  constructor(sentence: string, reach: Reach = 'kind') {
    super(sentence);
    this.reach = reach;
  }
}

/** The issue when the proof ledger's node does not respond, or with an invalid response. */
export function silent(fault: Pick<RpcFault, 'message'>): WriterIssues {
  return new WriterIssues(`the proof ledger's node does not respond: ${fault.message}`, 'node');
}
