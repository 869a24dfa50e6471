import { endpoints } from '@paid-inference/contract/constants';
import type { ProofRecord } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { findTransaction } from '../explorer/find-transaction.ts';
import type { ShownStep } from '../explorer/step-list.tsx';
import { verifySaved } from '../explorer/verify.ts';
import { formatAmount, formatCount } from '../format.ts';
import { gatewayUrl } from '../root.ts';
import type { AddEntry } from './exchange-log.ts';
import type { Bought } from './purchase.ts';
import { nodeProgram, requestProgram } from './step-program.ts';

/** How long the browser waits for the proof ledger. A batch is recorded within 10 seconds. */
const waitSeconds = 30;

/** Verifies a purchase, and shows its transfer and the record of its proof as further steps of the exchange. */
export async function followPurchase(
  { exchange, receipt, payer, nonce }: Bought,
  facts: SiteFacts,
  add: AddEntry,
): Promise<readonly ShownStep[]> {
  if (receipt !== null) await showTransfer(receipt.txHash, { payer, nonce }, facts, add);
  if (exchange === null) return [];
  const { steps, record } = await verifySaved(exchange, facts, waitSeconds);
  if (record !== null) showRecord(record, add);
  return steps;
}

/** Shows the events of this payment alone: its transaction may settle the payments of others too (D-374). */
async function showTransfer(
  txHash: string,
  { payer, nonce }: Pick<Bought, 'payer' | 'nonce'>,
  { token, payTo }: SiteFacts,
  add: AddEntry,
): Promise<void> {
  const found = await findTransaction(txHash).catch(() => null);
  if (found === null) return;
  const { logs, blockNumber } = found.receipt;
  const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const used = logs.findIndex(({ topics }) => topics[1] === word(payer) && topics[2] === nonce.toLowerCase());
  const own = used === -1 ? [] : logs.slice(used, used + 2);
  const moved = own.at(1);
  if (moved?.topics[1] !== word(payer) || moved.topics[2] !== word(payTo)) return;
  const shown = own.map(({ address, topics, data }) => ({ address, topics, data }));
  const value = BigInt(moved.data);
  add({
    title: 'Transfer on the chain',
    note: `Block ${formatCount(blockNumber)} has the transfer of ${formatAmount(value, token.decimals)} ${token.name}.`,
    raw: JSON.stringify(shown),
    decoded: JSON.stringify(
      { token: token.address, from: payer, to: payTo, value: String(value), txHash },
      null,
      2,
    ),
    program: nodeProgram('eth_getTransactionReceipt', [txHash]),
  });
}

function showRecord(record: ProofRecord, add: AddEntry): void {
  const { id, inclusion } = record;
  const { method, path } = endpoints.getProof;
  const url = gatewayUrl + path.replace('{id}', id);
  add({
    title: 'Record of the proof',
    note: `The proof ledger has the record${inclusion === undefined ? '' : ` in its block ${formatCount(inclusion.blockNumber)}`}.`,
    raw: JSON.stringify(record),
    decoded: JSON.stringify(record, null, 2),
    program: requestProgram(method, url, new Headers(), ''),
  });
}
