/**
 * The states of a payment: every state, every transition, and what is on disk at each transition. The drivers of the store
 * build their guarded updates from `transitions`; no other code changes the state of a payment.
 *
 *   quoted      No row: the offer is a pure function of the request.
 *     │ The request has a signed payment that matches it, and the balance less all pending payments covers it.
 *     ▼
 *   reserved    The nonce is reserved, the price is pending. On disk before the inference, so that the same authorization
 *     │         cannot run a second inference, nor the same balance pay twice.
 *     ├──▶ released   The inference failed, the client left, or the process died: nothing was charged. The authorization
 *     │               may be reserved again, for any request.
 *     ▼
 *   executed    The completion is on disk. From here on the payment is due, and a crash cannot lose the completion.
 *     │         A streamed completion may still be owed: then any gateway can run the inference again (D-272).
 *     │         With a facilitator the payment stays here until the chain shows the transfer (D-58).
 *     ├──▶ released   The key of the completions was lost, and nothing was sent: the payment is not due (D-236).
 *     ▼
 *   submitted   A transaction with the transfer is on disk, and then sent. After a crash the same bytes are sent again.
 *     │  ▲      If another transaction used its relayer nonce, the payment returns to `executed`.
 *     │  └──── settled, when a reorganisation removed the block
 *     ├──▶ failed    The chain refused it: cancelled, used elsewhere, the balance is too low, or the token rejects it.
 *     │      │  The completion is withheld.
 *     │      │  The authorization is still signed: anybody who saw it may send it until its window ends. So the completion
 *     │      │  is kept, and the chain is checked, until no later block can accept the payment (D-63).
 *     │      │  A payment that our own transaction may have made unseen is `failed` too, without a debt (D-207).
 *     │      ├──▶ executed   The payer refilled the wallet and sent the same payment again.
 *     │      └──▶ settled    The chain accepted it later: it was paid, and the payer gets the completion.
 *     ├──▶ expired   Its window ended before the chain accepted it. It is kept and checked like `failed`: a node may be
 *     │      └──▶ settled    wrong about the time, and a reorganisation may put a block back into the window.
 *     ▼
 *   settled     The logs of the chain show the authorization and the transfer. On disk before the payer gets the
 *     │         completion and the receipt.
 *     ▼
 *   final       No reorganisation can remove the block.
 */
export const transitions = {
  reserved: ['executed', 'released'],
  executed: ['submitted', 'released', 'settled', 'failed', 'expired'],
  submitted: ['settled', 'executed', 'failed', 'expired'],
  settled: ['final', 'submitted', 'failed', 'expired'],
  final: [],
  released: ['reserved'],
  failed: ['executed', 'settled'],
  expired: ['settled'],
} as const satisfies Record<string, readonly string[]>;

export type PaymentState = keyof typeof transitions;

/** States in which the price is held back from the payer's balance. */
export const pendingStates = ['reserved', 'executed', 'submitted'] as const satisfies readonly PaymentState[];

/** States in which the payer paid. */
export const chargedStates = ['settled', 'final'] as const satisfies readonly PaymentState[];

/** States in which the payer paid, or the chain has yet to decide about the payment. */
export const dueStates = [
  'executed',
  'submitted',
  ...chargedStates,
] as const satisfies readonly PaymentState[];

/** States without a charge in which the chain might still accept the authorization. */
export const refusedStates = ['failed', 'expired'] as const satisfies readonly PaymentState[];

/** The only failure that the payer can repair. */
export const transientFailure = 'insufficient_funds';

/**
 * The failure of a payment that was spent, perhaps by our own transaction, which the node does not show. The
 * payer is asked to wait, and owes nothing (D-207).
 */
export const undecidedFailure = 'undecided';

/** How often an empty payer may send a payment again. Each attempt may cost the operator gas for nothing. */
export const retriesMax = 3;

/** Lists the states that have a transition to `target`. */
export function listSources(target: PaymentState): readonly PaymentState[] {
  const states = Object.keys(transitions) as PaymentState[];
  return states.filter((state) => (transitions[state] as readonly string[]).includes(target));
}
