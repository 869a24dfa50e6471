import { readMined } from '../chain/chain-view.ts';
import { isInBlock, probeReceipts } from '../chain/receipts.ts';
import { pinEndpoint, type Rpc } from '../chain/rpc.ts';
import type { Log } from '../observe/log.ts';
import type { Bytes32 } from '../types/units.ts';

export type ReceiptWatchPorts = { readonly rpc: Rpc; readonly log: Log };

/**
 * Notices a node that shows no receipts (D-207). Without receipts and logs, the gateway charges payers and
 * delivers nothing.
 */
export interface ReceiptWatch {
  /**
   * Called when a transaction of ours may have made a payment, and the node shows neither its receipt nor a log.
   */
  markMissing(txHash: Bytes32): void;
  /** Returns whether the node shows receipts now, through two endpoints if there are several. */
  areShown(): Promise<boolean>;
  /** Returns a fault for the operator until the node shows receipts again. */
  healthIssue(): Promise<string | null>;
}

/** Creates the watch that all relayers of a process share. */
export function createReceiptWatch({ rpc, log }: ReceiptWatchPorts): ReceiptWatch {
  let missing: Bytes32 | null = null;
  return {
    markMissing(txHash) {
      if (missing === null) log.error({ txHash }, `${issue}. The gateway sells nothing meanwhile.`);
      missing = txHash;
    },
    async areShown() {
      for (const which of [0, 1] as const) {
        const probed = await probeReceipts(pinEndpoint(rpc, which));
        if (!probed.ok || probed.value !== 'shown') return false;
      }
      return true;
    },
    async healthIssue() {
      if (missing === null) return null;
      if (await isHidden(missing)) return issue;
      missing = null;
      log.info('The node shows receipts again.');
      return null;
    },
  };

  /** One endpoint with receipts is enough, because the gateway asks another endpoint after a while. */
  async function isHidden(txHash: Bytes32): Promise<boolean> {
    const endpoints = [pinEndpoint(rpc, 0), pinEndpoint(rpc, 1)];
    const isShown = await Promise.all(endpoints.map((endpoint) => showsReceipts(endpoint, txHash)));
    return !isShown.includes(true);
  }
}

async function showsReceipts(rpc: Rpc, ours: Bytes32): Promise<boolean> {
  const mined = await readMined(rpc, ours);
  if (!mined.ok || mined.value !== null) return mined.ok;
  const probed = await probeReceipts(rpc);
  if (!probed.ok || probed.value !== 'none') return probed.ok && probed.value === 'shown';
  // Without recent transactions, only ours can show a missing receipt. A foreign one may have replaced ours.
  const included = await isInBlock(rpc, ours);
  return included.ok && !included.value;
}

const issue =
  'the node shows no receipts and no logs of our transactions, so no payment can be seen settled: check the node of CHAIN_RPC_URL';
