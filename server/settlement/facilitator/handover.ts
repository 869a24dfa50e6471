import type { Mined } from '../../chain/chain-view.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import {
  type AttributionPorts,
  createAttribution,
  createRecordedAttribution,
  type IsOurs,
} from '../reconcile/attribution.ts';
import type { NoResponse, Settled } from './facilitator.ts';
import type { VersionChoice } from './version.ts';

export type HandoverPorts = AttributionPorts & {
  readonly version: Pick<VersionChoice, 'signers' | 'knownSigners'>;
};

/** The most addresses of a facilitator that are recorded with a payment. */
const sendersMax = 256;

/** Reasons of an earlier settlement. After the first call they mean that the gateway did not cause it. */
const settledBefore = new Set(['invalid_exact_evm_nonce_already_used', 'duplicate_settlement']);

/**
 * A transaction is ours if the facilitator named it to us. One of its own addresses also counts, after a lost
 * response or a named transaction that did not pay. If two stores call one facilitator for one payment, the
 * owner is then unknown (D-138).
 */
export function createFacilitatorAttribution(ports: HandoverPorts): IsOurs {
  const isOfEarlier = createAttribution(ports);
  return async (payment, transaction) => {
    if (await isOfEarlier(payment, transaction)) return true;
    if (payment.failure === 'third_party_sender') return false;
    const { isHandedOver } = await ports.store.findSent(payment.id);
    return isHandedOver && isFromFacilitator(transaction, ports);
  };
}

/** The state of the calls to settle one payment. */
export type Handover = {
  readonly isOurs: IsOurs;
  /** Records that the facilitator gets the payment. Resolves before the call. */
  begin(): Promise<void>;
  /**
   * Records the response. A named transaction is ours. The payment is open afterwards, unless the facilitator
   * reports an earlier settlement and names no transaction.
   */
  end(said: Result<Settled, NoResponse>): Promise<void>;
  /** As `isOurs`, before the facilitator has responded, when it may still name another transaction. */
  readonly isOursWhileSilent: IsOurs;
  /**
   * Whether a third party's transaction was found since the last `begin`. The facilitator may still name it.
   */
  sawThirdParty(): boolean;
};

/**
 * Creates the handover of one payment. `isLast` returns whether this is the last call: then an unknown sender
 * is a third party.
 */
export function createHandover(
  payment: PaymentRecord,
  ports: HandoverPorts,
  isLast: () => boolean,
): Handover {
  const { store, version } = ports;
  const isRecorded = createRecordedAttribution(ports);
  const isOfEarlier = createAttribution(ports);
  /** Whether the facilitator may have sent a transaction that it did not name. */
  let isOpen: boolean | null = null;
  let sawThirdParty = false;
  const isOurs = async (spent: PaymentRecord, transaction: Mined) =>
    (await isRecorded(spent, transaction)) ||
    (isOpen === true &&
      ((await isFromFacilitator(transaction, ports)) || (await isOfEarlier(spent, transaction))));
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
      if (!isHandedOver) await store.recordHandover(payment.id, version.knownSigners().slice(0, sendersMax));
      // An earlier process may have died before the response.
      isOpen = isHandedOver;
    },
    async end(said) {
      const txHash = said.ok ? said.value.txHash : null;
      if (txHash !== null) await store.recordSent(payment.id, txHash);
      // A named transaction may revert, be replaced, or belong to another payment. Another one may have paid.
      if (txHash !== null || !said.ok || said.value.kind === 'done' || !settledBefore.has(said.value.reason))
        isOpen = true;
    },
    sawThirdParty: () => sawThirdParty,
  };
}

async function isFromFacilitator({ sender }: Mined, { version }: HandoverPorts): Promise<boolean> {
  return sender !== null && (await version.signers()).includes(sender);
}
