import { readTransfers } from '@paid-inference/client/verify';
import { Interface, type Log, type TransactionReceipt } from 'ethers';
import type { SiteFacts } from '../../facts.ts';
import type { SitePayment } from '../../payments.ts';
import { formatAmount, formatCount } from '../format.ts';
import type { ShownStep } from './step-list.tsx';

/** A transaction as the node of the payment chain returns it. */
export type FoundTransaction = {
  readonly receipt: TransactionReceipt;
  /** Unix seconds. */
  readonly minedAt: number;
  /** Blocks on top of the block of the transaction, that block included. */
  readonly confirmations: number;
};

const events = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);

/**
 * The number and the sum of the payments to the recipient. An authorization makes the next transfer after it, and a plain
 * transfer is no payment. Names no payer (D-374).
 */
export function sumPayments(
  logs: readonly Log[],
  { token, payTo }: Pick<SiteFacts, 'token' | 'payTo'>,
): { readonly count: number; readonly sum: bigint } {
  let isAuthorized = false;
  const amounts: bigint[] = [];
  for (const log of logs) {
    const event = log.address.toLowerCase() === token.address ? events.parseLog(log) : null;
    if (event === null) continue;
    const isPayment = isAuthorized && String(event.args['to']).toLowerCase() === payTo;
    if (event.name === 'Transfer' && isPayment) amounts.push(BigInt(event.args['value']));
    isAuthorized = event.name === 'AuthorizationUsed';
  }
  return { count: amounts.length, sum: amounts.reduce((sum, each) => sum + each, 0n) };
}

/** The payment that the visitor asked for. The gateway may return another one. */
export type AskedPayment = { readonly nonce: string; readonly payer: string };

/** Checks a payment against the chain, in this browser. Payer and nonce are those of the visitor. */
export function checkPayment(
  payment: SitePayment,
  found: FoundTransaction | null,
  { nonce, payer: from }: AskedPayment,
  { token }: Pick<SiteFacts, 'token'>,
): readonly ShownStep[] {
  const titles = [
    'The transaction succeeded',
    'The transaction used the nonce of this payment',
    'The transaction moved the amount to the recipient',
  ];
  if (found === null) {
    const sentence =
      payment.txHash === null
        ? 'No transaction has settled this payment yet'
        : 'The node does not have the transaction';
    return titles.map((title) => ({ title, verdict: 'unknown' as const, sentence }));
  }
  const { receipt } = found;
  const { payTo: to, amount: value } = payment;
  const { usedAt, movedAt } = readTransfers(receipt.logs, { from, to, value, nonce });
  const [isUsed, isMoved] = [usedAt.includes(token.address), movedAt.includes(token.address)];
  const results = [
    [receipt.status === 1, `Block ${formatCount(receipt.blockNumber)} has the transaction ${receipt.hash}`],
    [isUsed, `The token ${token.address} ${isUsed ? 'reports' : 'does not report'} the nonce as used`],
    [
      isMoved,
      `${formatAmount(BigInt(value), token.decimals)} ${isMoved ? 'went' : 'did not go'} from ${from} to ${to}`,
    ],
  ] as const;
  return results.map(([isTrue, sentence], at) => ({
    title: titles[at] ?? '',
    verdict: isTrue ? ('true' as const) : ('false' as const),
    sentence,
  }));
}
