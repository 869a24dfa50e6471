import { type Mined, readMined } from '../chain/chain-view.ts';
import { namesSpender } from '../chain/find-spender.ts';
import { isInBlock, probeReceipts } from '../chain/receipts.ts';
import { pinEndpoint, type Rpc } from '../chain/rpc.ts';
import { type ExpectedPayment, tracePayment } from '../chain/token-logs.ts';
import type { Log } from '../observe/log.ts';
import type { Bytes32 } from '../types/units.ts';

export type ReceiptWatchPorts = { readonly rpc: Rpc; readonly log: Log };

/**
 * Notices a node that shows no receipts, or receipts without logs (D-207). The gateway then charges payers and
 * delivers nothing.
 */
export interface ReceiptWatch {
  /**
   * Called when a transaction of ours may have made a payment, and the node shows neither its receipt nor a log.
   */
  markMissing(txHash: Bytes32): void;
  /** Called when the block of a transaction of ours spent a payment, and the node shows no log of it. */
  markWithoutLogs(mined: Mined, payment: ExpectedPayment): void;
  /** Returns whether the node shows receipts now, through two endpoints if there are several. */
  areShown(): Promise<boolean>;
  /** Returns a fault for the operator until the node shows receipts and logs again. */
  healthIssue(): Promise<string | null>;
}

/** A fault of the node, and the check through one endpoint that ends it. */
type Hidden = { readonly issue: string; readonly isShown: (rpc: Rpc) => Promise<boolean> };

/** Creates the watch that all relayers of a process share. */
export function createReceiptWatch({ rpc, log }: ReceiptWatchPorts): ReceiptWatch {
  let hidden: Hidden | null = null;
  return {
    markMissing: (txHash) =>
      mark(txHash, { issue: noReceipts, isShown: (endpoint) => showsReceipts(endpoint, txHash) }),
    markWithoutLogs: (mined, payment) =>
      mark(mined.txHash, { issue: noLogs, isShown: (endpoint) => showsLogs(endpoint, mined, payment) }),
    async areShown() {
      for (const which of [0, 1] as const) {
        const probed = await probeReceipts(pinEndpoint(rpc, which));
        if (!probed.ok || probed.value !== 'shown') return false;
      }
      return true;
    },
    async healthIssue() {
      if (hidden === null) return null;
      // One endpoint that shows them is enough, because the gateway asks another endpoint after a while.
      const endpoints = [pinEndpoint(rpc, 0), pinEndpoint(rpc, 1)];
      const { issue, isShown } = hidden;
      if (!(await Promise.all(endpoints.map(isShown))).includes(true)) return issue;
      hidden = null;
      log.info('The node shows receipts and logs again.');
      return null;
    },
  };

  function mark(txHash: Bytes32, next: Hidden): void {
    if (hidden === null) log.error({ txHash }, `${next.issue}. The gateway sells nothing meanwhile.`);
    hidden = next;
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

/** Also true when the transaction left its block, because that block spends the payment no longer. */
async function showsLogs(rpc: Rpc, ours: Mined, payment: ExpectedPayment): Promise<boolean> {
  const mined = await readMined(rpc, ours.txHash);
  if (!mined.ok) return false;
  if (mined.value?.blockHash !== ours.blockHash) return true;
  if (tracePayment(mined.value.logs, payment) !== 'absent') return true;
  const isNamed = await namesSpender(rpc, payment, ours.block);
  return isNamed.ok && isNamed.value;
}

const seen = 'so no payment can be seen settled: check the node of CHAIN_RPC_URL';
const noReceipts = `the node shows no receipts and no logs of our transactions, ${seen}`;
const noLogs = `the node shows no logs of our transactions, ${seen}`;
