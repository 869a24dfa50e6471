import { isRevert } from '../chain/check-chain.ts';
import { findStopped } from '../chain/check-transfer.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import type { Log } from '../observe/log.ts';
import type { Address, Bytes32 } from '../types/units.ts';

export type TokenWatchPorts = {
  readonly rpc: Rpc;
  readonly asset: Address;
  /** Of the token's EIP-712 domain, as the start found it on the chain. */
  readonly domainSeparator: Bytes32;
  /** The recipient of new payments. Earlier payments may have another recipient. */
  readonly payTo: Address;
  readonly log: Log;
};

/** Recipients to which the token rejects every transfer: it is paused, or they are on its blocklist (D-137). */
export interface TokenWatch {
  /** Called when the chain was found to reject every transfer to this recipient. */
  markStopped(recipient: Address): void;
  /**
   * Called when our transaction moved tokens otherwise than signed. The gateway sells nothing until a restart.
   */
  markUnsound(txHash: Bytes32): void;
  /** Returns the stopped recipients. Reads the chain the first time, and while there are any. */
  stopped(): Promise<ReadonlySet<Address>>;
  /** Reads the chain, and returns a fault for the operator; null when payments are possible. */
  healthIssue(): Promise<string | null>;
}

/** Creates the watch that all relayers of a process share. A chain that does not respond changes nothing. */
export function createTokenWatch({ rpc, asset, domainSeparator, payTo, log }: TokenWatchPorts): TokenWatch {
  const known = new Set<Address>();
  const token = createPaymentToken({ rpc, asset });
  let hasAsked = false;
  let unsound: string | null = null;
  return {
    markStopped,
    markUnsound(txHash) {
      unsound = `the payment token moved tokens otherwise than was signed, in ${txHash}: check the token, pay the payers back, and restart the gateway`;
    },
    async stopped() {
      if (!hasAsked || known.size > 0) await probe();
      return known;
    },
    async healthIssue() {
      if (unsound !== null) return unsound;
      const [fault, changed] = await Promise.all([probe(), domainIssue()]);
      if (fault !== null) return `transfers cannot be simulated: ${fault.message}`;
      return known.has(payTo) ? sentenceFor(payTo) : changed;
    },
  };

  /** An issuer can replace the code of a token. With another domain, the token rejects every signature. */
  async function domainIssue(): Promise<string | null> {
    const read = await token.domainSeparator();
    const isSame = read.ok ? read.value === domainSeparator : !isRevert(read.fault);
    return isSame
      ? null
      : `the EIP-712 domain of the payment token ${asset} has changed: restart the gateway, which then names the setting to change`;
  }

  async function probe(): Promise<RpcFault | null> {
    const asked = [...new Set([payTo, ...known])];
    const found = await findStopped(rpc, asset, asked);
    if (!found.ok) return found.fault;
    hasAsked = true;
    for (const recipient of asked) {
      if (found.value.includes(recipient)) markStopped(recipient);
      else if (known.delete(recipient))
        log.info({ recipient }, 'The payment token takes transfers to the recipient again.');
    }
    return null;
  }

  function markStopped(recipient: Address): void {
    if (known.has(recipient)) return;
    known.add(recipient);
    log.error({ recipient }, `${sentenceFor(recipient)}. Payments to this recipient wait.`);
  }
}

function sentenceFor(recipient: Address): string {
  return `the payment token takes no transfers to ${recipient}: it is paused, the recipient is on its blocklist, or its code has changed`;
}
