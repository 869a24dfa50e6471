import type { Address, Bytes32 } from '../../types/units.ts';
import { describeKeyFault, type LedgerView } from './ledger-view.ts';

/** An enclave key, and the hash of the evidence that it must be registered with. */
export type AttestedKey = { readonly signer: Address; readonly evidenceHash: Bytes32 };

/** Watches the enclave key of this process, also while another process writes to the proof ledger (D-90). */
export interface KeyWatch {
  look(): Promise<void>;
  /**
   * Why the gateway must not prove with the key any more, as a sentence for the operator; null while it may.
   */
  healthIssue(): string | null;
  /** A sentence for the operator about a key that does not stop sales; null when all is well. */
  warning(): string | null;
}

type Fault = 'unknown' | 'revoked' | 'other evidence';

/** How many checks in a row must agree before a fault counts. */
const checksMin = 2;

export function createKeyWatch(
  view: Pick<LedgerView, 'enclaveKey'>,
  { signer, evidenceHash }: AttestedKey,
): KeyWatch {
  let seen: Fault | null = null;
  let looks = 0;
  const confirmedFault = () => (looks < checksMin ? null : seen);

  return {
    async look() {
      const fault = await ask();
      looks = fault === seen ? looks + 1 : 1;
      seen = fault;
    },
    healthIssue() {
      switch (confirmedFault()) {
        case 'revoked':
          return `${describeKeyFault(signer, 'revoked')}, so the gateway sells nothing. Restart the gateway to make a new key`;
        case 'other evidence':
          return `${describeOtherEvidence(signer)}. No proof of this key can be verified, so the gateway sells nothing. Revoke the key, check which accounts may register keys, and restart the gateway to make a new key`;
        default:
          return null;
      }
    },
    warning() {
      if (confirmedFault() !== 'unknown') return null;
      return `${describeKeyFault(signer, 'unknown')}. No proof can be verified until the key is registered with the evidence hash ${evidenceHash}`;
    },
  };

  async function ask(): Promise<Fault | null> {
    const key = await view.enclaveKey(signer);
    if (key.state !== 'active') return key.state;
    return key.evidenceHash === evidenceHash ? null : 'other evidence';
  }
}

/** Describes a key with other evidence. The contract accepts a key once, so its evidence cannot be changed. */
export function describeOtherEvidence(signer: Address): string {
  return `the proof ledger has the key of the signer ${signer} with other evidence than the gateway made for it`;
}
