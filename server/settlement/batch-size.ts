/** A transaction: its number of payments, and whether the chain undid it, or a node refused it for lack of ether. */
type EndedBatch = { readonly payments: number; readonly hasFailed: boolean };

/**
 * Returns the most payments for the next transaction. A batch that failed as a whole halves the number.
 * Every other batch doubles it, up to the setting `settlementBatchMax`, whose default is in
 * `config/chain-settings.ts`. A failed single payment leaves it unchanged.
 */
export function adjustBatchMax(batchMax: number, ended: EndedBatch, settlementBatchMax: number): number {
  if (!ended.hasFailed) return Math.min(settlementBatchMax, batchMax * 2);
  return ended.payments > 1 ? Math.min(batchMax, Math.floor(ended.payments / 2)) : batchMax;
}
