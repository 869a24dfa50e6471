import { readTransfers } from '@paid-inference/client/verify';
import { chainId } from '@paid-inference/contract/constants';
import { Interface, JsonRpcProvider, type Log, type TransactionReceipt } from 'ethers';
import type { SiteFacts } from '../../facts.ts';
import type { SitePayment } from '../../payments.ts';
import { formatAmount, formatCount } from '../format.ts';
import { nodeUrls } from '../nodes.ts';
import type { ShownStep } from './step-list.tsx';

/** A transaction as the node of the payment chain returns it. */
export type FoundTransaction = {
  readonly receipt: TransactionReceipt;
  /** Unix seconds. */
  readonly minedAt: number;
  /** Blocks on top of the block of the transaction, that block included. */
  readonly confirmations: number;
};

/** Reads a transaction and its block; null when the node does not have it. */
export async function findTransaction(hash: string): Promise<FoundTransaction | null> {
  const provider = new JsonRpcProvider(nodeUrls().chainRpcUrl, chainId, {
    staticNetwork: true,
    batchMaxCount: 1,
    cacheTimeout: -1,
  });
  try {
    const receipt = await provider.getTransactionReceipt(hash);
    if (receipt === null) return null;
    const [block, head] = await Promise.all([
      provider.getBlock(receipt.blockNumber),
      provider.getBlockNumber(),
    ]);
    if (block === null) return null;
    return { receipt, minedAt: block.timestamp, confirmations: head - receipt.blockNumber + 1 };
  } finally {
    provider.destroy();
  }
}

const transfers = new Interface(['event Transfer(address indexed from, address indexed to, uint256 value)']);

/** The number and the sum of the transfers of the token to the recipient. Names no payer (D-374). */
export function sumPayments(
  logs: readonly Log[],
  { token, payTo }: SiteFacts,
): { readonly count: number; readonly sum: bigint } {
  const amounts = logs
    .filter(({ address }) => address.toLowerCase() === token.address)
    .flatMap((log) => {
      const event = transfers.parseLog(log);
      return event !== null && String(event.args['to']).toLowerCase() === payTo
        ? [BigInt(event.args['value'])]
        : [];
    });
  return { count: amounts.length, sum: amounts.reduce((sum, each) => sum + each, 0n) };
}

/** Checks a payment of the gateway against the chain, in this browser. */
export function checkPayment(
  payment: SitePayment,
  found: FoundTransaction | null,
  { token }: SiteFacts,
): readonly ShownStep[] {
  const titles = [
    'The transaction succeeded',
    'It used the nonce of this payment',
    'It moved the amount to the recipient',
  ];
  if (found === null) {
    const sentence =
      payment.txHash === null
        ? 'No transaction has settled this payment yet'
        : 'The node does not have the transaction';
    return titles.map((title) => ({ title, verdict: 'unknown' as const, sentence }));
  }
  const { receipt } = found;
  const { payer: from, payTo: to, amount: value, nonce } = payment;
  const { usedAt, movedAt } = readTransfers(receipt.logs, { from, to, value, nonce });
  const results = [
    [receipt.status === 1, `Block ${formatCount(receipt.blockNumber)} has the transaction ${receipt.hash}`],
    [usedAt.includes(token.address), `The token ${token.address} must report the nonce as used`],
    [
      movedAt.includes(token.address),
      `${formatAmount(BigInt(value), token.decimals)} must go from ${from} to ${to}`,
    ],
  ] as const;
  return results.map(([isTrue, sentence], at) => ({
    title: titles[at] ?? '',
    verdict: isTrue ? ('true' as const) : ('false' as const),
    sentence,
  }));
}
