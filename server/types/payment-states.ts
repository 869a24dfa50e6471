/**
 * A payment's life. This file is the whole of it: every state, every way from one to the next, who takes it, and what is
 * on disk when it is taken. The store's drivers build their guarded updates from `transitions`; nothing else moves a
 * payment.
 *
 *   quoted      No row. The offer is a pure function of the request, so there is nothing to keep.
 *     │ a signed payment for this very request; the balance less everything pending covers it
 *     ▼
 *   reserved    The nonce is claimed, the price is pending. On disk before the model runs: the same authorization
 *     │         cannot run a second inference, nor the same balance pay twice.
 *     ├──▶ released   The model failed, the client left, or the process died: nothing was charged. The authorization may
 *     │               be reserved again, for any request.
 *     ▼
 *   executed    The answer is on disk. From here on the payment is owed, and a crash cannot lose the answer.
 *     │         A payment that a facilitator is asked to settle stays here until the chain has spoken (D-58).
 *     ▼
 *   submitted   A transaction that moves the tokens is on disk, and then on the wire. After a crash the same bytes are
 *     │  ▲      sent again. Where its relayer nonce was lost to another transaction, the payment goes back to `executed`.
 *     │  └──── settled, when a reorganisation took the block away
 *     ├──▶ failed    The chain did not take it: cancelled, spent elsewhere, the balance is gone, or the token refuses.
 *     │      │  The answer is withheld.
 *     │      │  What was signed stays signed: anybody who saw it may send it while its window is open. So the answer is
 *     │      │  kept, and the chain looked at, until no block to come can take the payment any more (D-63).
 *     │      ├──▶ executed   The payer filled the wallet and sent the same payment again.
 *     │      └──▶ settled    The chain took it after all: it was paid, and the answer is owed.
 *     ├──▶ expired   Its time ran out before the chain took it. Kept and looked at in the same way, for a node may be wrong
 *     │      └──▶ settled    about the time, and a reorganisation may put a block back into it.
 *     ▼
 *   settled     The chain's logs show the authorization used and the tokens moved. On disk before the payer gets the
 *     │         answer and the receipt.
 *     ▼
 *   final       The block is beyond reorganisation.
 */
export const transitions = {
  reserved: ['executed', 'released'],
  executed: ['submitted', 'settled', 'failed', 'expired'],
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

/** States in which nothing is owed, and the chain might still take what was signed. */
export const refusedStates = ['failed', 'expired'] as const satisfies readonly PaymentState[];

/** The one failure that passes when the payer wants it to. */
export const transientFailure = 'insufficient_funds';

/** Times that a payment may be sent again for a payer whose wallet was empty: each may cost us gas for nothing. */
export const retriesMax = 3;

/** The states that a payment may come from. */
export function sourcesOf(target: PaymentState): readonly PaymentState[] {
  const states = Object.keys(transitions) as PaymentState[];
  return states.filter((state) => (transitions[state] as readonly string[]).includes(target));
}
