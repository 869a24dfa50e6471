/** The tables that a sale and its settlement write, in both drivers. The health check reads each (D-402). */
export const soldTables = [
  'payer_account',
  'payment',
  'payment_transaction',
  'purchase',
  'joined',
  'proof',
  'chain_tx',
  'relayer_lease',
] as const;
