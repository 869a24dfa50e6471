import type { Mined } from '../../chain/chain-view.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import { type AttributionPorts, createAttribution, type IsOurs } from '../reconcile/attribution.ts';
import type { NoAnswer, Settled } from './facilitator.ts';
import type { VersionChoice } from './version.ts';

export type HandoverPorts = AttributionPorts & { readonly version: Pick<VersionChoice, 'signers'> };

/** These say that somebody had it settled before; asked for the first time, that was not us. */
const settledBefore = new Set(['invalid_exact_evm_nonce_already_used', 'duplicate_settlement']);

/**
 * Ours is what the facilitator named when we asked, and what one of its addresses sent after an answer of it was lost. Two
 * stores that ask one facilitator for one payment cannot be told apart in that case (D-138).
 */
export function createFacilitatorAttribution(ports: HandoverPorts): IsOurs {
  const isRecorded = createAttribution(ports);
  return async (payment, transaction) => {
    if (await isRecorded(payment, transaction)) return true;
    if (payment.failure === 'third_party_sender') return false;
    const { isHandedOver } = await ports.store.findSent(payment.id);
    return isHandedOver && isFromFacilitator(transaction, ports);
  };
}

/** What is known of the requests to settle one payment. */
export type Handover = {
  readonly isOurs: IsOurs;
  /** Writes down that the facilitator is asked. Resolves before it is. */
  begin(): Promise<void>;
  /** Takes note of its answer: the transaction that it names is ours, and an answer without one leaves it open. */
  end(said: Result<Settled, NoAnswer>): Promise<void>;
  /** The same while the facilitator has not answered yet, and may still name another transaction. */
  readonly isOursWhileSilent: IsOurs;
  /** A third party's transaction was seen since the last `begin`, and the facilitator may still name it. */
  sawThirdParty(): boolean;
};

/** `isLast` says whether the facilitator is asked for the last time: then an unknown sender is a third party. */
export function createHandover(
  payment: PaymentRecord,
  ports: HandoverPorts,
  isLast: () => boolean,
): Handover {
  const { store } = ports;
  const isRecorded = createAttribution(ports);
  /** Whether an answer was lost, so that a transaction of the facilitator's may be one that we never heard of. */
  let isOpen: boolean | null = null;
  let sawThirdParty = false;
  const isOurs = async (spent: PaymentRecord, transaction: Mined) =>
    (await isRecorded(spent, transaction)) ||
    (isOpen === true && (await isFromFacilitator(transaction, ports)));
  return {
    isOurs: async (...spent) => {
      if (await isOurs(...spent)) return true;
      sawThirdParty = true;
      return isLast() ? false : 'unclear';
    },
    isOursWhileSilent: async (...spent) => (await isOurs(...spent)) || 'unclear',
    async begin() {
      sawThirdParty = false;
      if (isOpen !== null) return;
      const { isHandedOver } = await store.findSent(payment.id);
      if (!isHandedOver) await store.recordSent(payment.id, null);
      // A process that asked before may have died with the answer.
      isOpen = isHandedOver;
    },
    async end(said) {
      const txHash = said.ok ? said.value.txHash : null;
      if (txHash !== null) await store.recordSent(payment.id, txHash);
      else if (!said.ok || said.value.kind === 'done' || !settledBefore.has(said.value.reason)) isOpen = true;
    },
    sawThirdParty: () => sawThirdParty,
  };
}

async function isFromFacilitator({ sender }: Mined, { version }: HandoverPorts): Promise<boolean> {
  return sender !== null && (await version.signers()).includes(sender);
}
