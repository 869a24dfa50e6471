import type { Mined } from '../../chain/chain-view.ts';
import type { Log } from '../../observe/log.ts';
import type { PaymentRecord, Store } from '../../store/store.ts';
import type { Bytes32 } from '../../types/units.ts';

/**
 * Decides whether a transaction that made a payment was sent for this store (D-138). Any other sender pays the
 * recipient once, but every store with this recipient could count it as its own payment. `unclear` means to ask
 * again.
 */
export type IsOurs = (payment: PaymentRecord, transaction: Mined) => Promise<boolean | 'unclear'>;

export type AttributionPorts = {
  readonly store: Store;
  /** Set by an operator who uses the recipient for this store only. */
  readonly acceptThirdPartySenders: boolean;
};

/**
 * A transaction is ours if the store has a record of it. After a reorganisation took back a settlement, every transaction
 * that makes the payment counts, because the payer may have the completion already.
 */
export function createRecordedAttribution({ store, acceptThirdPartySenders }: AttributionPorts): IsOurs {
  return async ({ id }, { txHash }) => {
    if (acceptThirdPartySenders) return true;
    const { transactions, wasSettled } = await store.findSent(id);
    return wasSettled || transactions.includes(txHash);
  };
}

/**
 * A transaction is also ours if a facilitator had the payment and may have sent the transaction. The operator may
 * have changed the facilitator since, or may now use a relayer key.
 */
export function createAttribution(ports: AttributionPorts): IsOurs {
  const isRecorded = createRecordedAttribution(ports);
  return async (payment, transaction) => {
    if (await isRecorded(payment, transaction)) return true;
    if (payment.failure === 'third_party_sender' || transaction.sender === null) return false;
    return (await ports.store.findSent(payment.id)).senders.includes(transaction.sender);
  };
}

/** Logs a refund case for the operator: the recipient has the tokens, and the payer has no completion. */
export function reportThirdParty(
  { id, authorization }: PaymentRecord,
  txHash: Bytes32 | null,
  log: Log,
): void {
  const { from, to, value, nonce } = authorization;
  log.warn(
    { payment: id, txHash, payer: from, payTo: to, amount: String(value), nonce },
    'Tokens arrived in a transaction that this store did not send. The completion is withheld. Pay the tokens back.',
  );
}
