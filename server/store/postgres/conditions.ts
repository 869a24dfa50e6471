/** The SQLSTATEs that the store's own functions raise. No standard class begins with PI. */
export const condition = {
  /** A payment is in no state that the operation accepts. */
  refused: 'PI001',
  /** The lease is held under another fence. */
  staleFence: 'PI002',
  /** A transaction or relayer nonce differs from the caller's; the message names the difference. */
  journal: 'PI003',
} as const;
