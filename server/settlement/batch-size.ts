/** The transaction that was mined: its number of payments, and whether the chain undid it as a whole. */
type MinedBatch = { readonly payments: number; readonly isReverted: boolean };

/**
 * Returns the most payments for the next transaction. A batch that the chain undid as a whole halves the number.
 * Every other batch doubles it, up to `settlementBatchMax`. An undone single payment leaves it unchanged.
 */
export function adjustBatchMax(batchMax: number, mined: MinedBatch, settlementBatchMax: number): number {
  if (!mined.isReverted) return Math.min(settlementBatchMax, batchMax * 2);
  return mined.payments > 1 ? Math.floor(mined.payments / 2) : batchMax;
}
