/** SQLSTATEs of our own, by which our functions tell what stopped them. No standard class begins with PI. */
export const condition = {
  /** A payment is in none of the states that the operation needs. */
  refused: 'PI001',
  /** The lease is held under another fence. */
  staleFence: 'PI002',
  /** A transaction or relayer nonce is not what the caller takes it for; the message says how. */
  journal: 'PI003',
} as const;
