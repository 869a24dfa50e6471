import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import type { Token } from '../token.ts';
import { readTransfers } from '../transfer-events.ts';

/** The authorization and the receipt of one purchase. */
export type Purchase = { readonly authorization: PaymentAuthorization; readonly receipt: PaymentReceipt };

export type Balances = { readonly payer: bigint; readonly payee: bigint };

export async function readBalances(token: Token, payer: string, payee: string): Promise<Balances> {
  const [ofPayer, ofPayee] = await Promise.all([token.balanceOf(payer), token.balanceOf(payee)]);
  return { payer: ofPayer, payee: ofPayee };
}

/** Compares a receipt with the chain: its transaction must use this nonce and move this amount (EIP-3009). */
export async function requireSettled(
  token: Token,
  asset: string,
  { authorization, receipt }: Purchase,
): Promise<void> {
  const transaction = await token.transaction(receipt.txHash);
  if (transaction?.status !== 1) throw new Error(`The chain has no successful transaction ${receipt.txHash}`);
  const { from, to, value, nonce } = authorization;
  const { usedAt, movedAt } = readTransfers(transaction.logs, authorization);
  if (!usedAt.includes(asset.toLowerCase()))
    throw new Error(`Transaction ${receipt.txHash} does not use the nonce ${nonce}`);
  if (!movedAt.includes(asset.toLowerCase()))
    throw new Error(`Transaction ${receipt.txHash} does not move ${value} units from ${from} to ${to}`);
}

/** Throws unless the payer's loss and the payee's gain both equal the price. */
export function requireExactChange(before: Balances, after: Balances, price: bigint): void {
  const lost = before.payer - after.payer;
  const gained = after.payee - before.payee;
  if (lost !== price) throw new Error(`The payer lost ${lost} units instead of ${price}`);
  if (gained !== price) throw new Error(`The payee gained ${gained} units instead of ${price}`);
}
