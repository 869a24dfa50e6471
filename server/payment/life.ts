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
 *     │
 *     ▼
 *   submitted   A transaction that moves the tokens is on disk, and then on the wire. After a crash the same bytes are
 *     │  ▲      sent again. Where its relayer nonce was lost to another transaction, the payment goes back to `executed`.
 *     │  └──── settled, when a reorganisation took the block away
 *     ├──▶ failed    The chain will never take it: cancelled, spent elsewhere, or the balance is gone. The answer is withheld.
 *     ├──▶ expired   Its time ran out before the chain took it. The answer is withheld.
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
  failed: [],
  expired: [],
} as const satisfies Record<string, readonly string[]>;

export type PaymentState = keyof typeof transitions;

/** States in which the price is held back from the payer's balance. */
export const pendingStates = ['reserved', 'executed', 'submitted'] as const satisfies readonly PaymentState[];

/** The states that a payment may come from. */
export function sourcesOf(target: PaymentState): readonly PaymentState[] {
  const states = Object.keys(transitions) as PaymentState[];
  return states.filter((state) => (transitions[state] as readonly string[]).includes(target));
}
