import type { Address, Bytes32 } from '../../types/units.ts';
import { type LedgerView, sentenceOfKey } from './ledger-view.ts';

/** An enclave key, and the hash of the evidence that it must be registered with. */
export type AttestedKey = { readonly signer: Address; readonly evidenceHash: Bytes32 };

/** Looks after the enclave key of this process, whoever writes the ledger (D-90). */
export interface KeyWatch {
  look(): Promise<void>;
  /** Why nothing may be proven with the key any more, in a sentence for the operator; null while it may. */
  healthIssue(): string | null;
  /** What the operator should know of a key that may be sold with all the same; null when all is well. */
  warning(): string | null;
}

type Fault = 'unknown' | 'revoked' | 'other evidence';

/** A single answer decides nothing: so many looks in a row must agree, and it holds as long as they do. */
const checksMin = 2;

export function createKeyWatch(
  view: Pick<LedgerView, 'enclaveKey'>,
  { signer, evidenceHash }: AttestedKey,
): KeyWatch {
  let seen: Fault | null = null;
  let looks = 0;
  const told = () => (looks < checksMin ? null : seen);

  return {
    async look() {
      const fault = await ask();
      looks = fault === seen ? looks + 1 : 1;
      seen = fault;
    },
    healthIssue() {
      switch (told()) {
        case 'revoked':
          return `${sentenceOfKey(signer, 'revoked')}: nothing is sold with it; a gateway that is started again makes a new one`;
        case 'other evidence':
          return `${sentenceOfOtherEvidence(signer)}, and no proof of it can be verified: nothing is sold with it; revoke that key, look after who may register keys, and start the gateway again, which makes a new one`;
        default:
          return null;
      }
    },
    warning() {
      if (told() !== 'unknown') return null;
      return `${sentenceOfKey(signer, 'unknown')}: nothing that is sold can be verified until its key is registered, with the evidence hash ${evidenceHash}`;
    },
  };

  async function ask(): Promise<Fault | null> {
    const key = await view.enclaveKey(signer);
    if (key.state !== 'active') return key.state;
    return key.evidenceHash === evidenceHash ? null : 'other evidence';
  }
}

/** The contract takes a key once: what it was registered with stands for good. */
export function sentenceOfOtherEvidence(signer: Address): string {
  return `the ledger has the key of the signer ${signer} with other evidence than was made for it`;
}
