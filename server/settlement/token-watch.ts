import { findStopped } from '../chain/check-transfer.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { Log } from '../observe/log.ts';
import type { Address, Bytes32 } from '../types/units.ts';

export type TokenWatchPorts = {
  readonly rpc: Rpc;
  readonly asset: Address;
  /** The recipient of new payments; earlier payments may have had another one. */
  readonly payTo: Address;
  readonly log: Log;
};

/** Recipients that the token takes no transfer to, because it is paused or because they are on its blocklist (D-137). */
export interface TokenWatch {
  /** The chain was seen to refuse every transfer to this recipient. */
  markStopped(recipient: Address): void;
  /** A transaction of ours moved tokens otherwise than signed. Nothing is sold any more until the gateway starts anew. */
  markUnsound(txHash: Bytes32): void;
  /** Recipients that are stopped. Asks the chain the first time, and while there are any. */
  stopped(): Promise<ReadonlySet<Address>>;
  /** Asks the chain, and says what is wrong for the operator; null where payments can be made. */
  healthIssue(): Promise<string | null>;
}

/** One for all relayers of a process. A chain that does not answer changes nothing. */
export function createTokenWatch({ rpc, asset, payTo, log }: TokenWatchPorts): TokenWatch {
  const known = new Set<Address>();
  let hasAsked = false;
  let unsound: string | null = null;
  return {
    markStopped,
    markUnsound(txHash) {
      unsound = `the payment token moved tokens otherwise than was signed, in ${txHash}: check the token, pay the payers back, and start the gateway anew`;
    },
    async stopped() {
      if (!hasAsked || known.size > 0) await look();
      return known;
    },
    async healthIssue() {
      if (unsound !== null) return unsound;
      const fault = await look();
      if (fault !== null) return `transfers cannot be simulated: ${fault.message}`;
      return known.has(payTo) ? sentenceFor(payTo) : null;
    },
  };

  async function look(): Promise<RpcFault | null> {
    const asked = [...new Set([payTo, ...known])];
    const found = await findStopped(rpc, asset, asked);
    if (!found.ok) return found.fault;
    hasAsked = true;
    for (const recipient of asked) {
      if (found.value.includes(recipient)) markStopped(recipient);
      else if (known.delete(recipient))
        log.info({ recipient }, 'the payment token takes transfers to the recipient again');
    }
    return null;
  }

  function markStopped(recipient: Address): void {
    if (known.has(recipient)) return;
    known.add(recipient);
    log.error({ recipient }, `${sentenceFor(recipient)}; payments wait`);
  }
}

function sentenceFor(recipient: Address): string {
  return `the payment token takes no transfers to ${recipient}: it is paused, or the recipient is on its blocklist`;
}
