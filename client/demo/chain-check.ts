import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';
import type { Token } from '../token.ts';
import { readTransfers } from '../transfer-events.ts';

/** One purchase as the client knows it. */
export type Purchase = { readonly authorization: PaymentAuthorization; readonly receipt: PaymentReceipt };

export type Balances = { readonly payer: bigint; readonly payee: bigint };

export async function readBalances(token: Token, payer: string, payee: string): Promise<Balances> {
  const [ofPayer, ofPayee] = await Promise.all([token.balanceOf(payer), token.balanceOf(payee)]);
  return { payer: ofPayer, payee: ofPayee };
}

/** Holds a receipt against the chain: the transaction must have used this nonce and moved this amount (EIP-3009). */
export async function requireSettled(
  token: Token,
  asset: string,
  { authorization, receipt }: Purchase,
): Promise<void> {
  const transaction = await token.transaction(receipt.txHash);
  if (transaction?.status !== 1)
    throw new Error(`the chain knows no successful transaction ${receipt.txHash}`);
  const { from, to, value, nonce } = authorization;
  const { usedAt, movedAt } = readTransfers(transaction.logs, authorization);
  if (!usedAt.includes(asset.toLowerCase()))
    throw new Error(`transaction ${receipt.txHash} does not use the nonce ${nonce}`);
  if (!movedAt.includes(asset.toLowerCase()))
    throw new Error(`transaction ${receipt.txHash} does not move ${value} units from ${from} to ${to}`);
}

/** Every unit is accounted for: what the payer lost, what the payee gained, and what was agreed are one amount. */
export function requireExactChange(before: Balances, after: Balances, price: bigint): void {
  const lost = before.payer - after.payer;
  const gained = after.payee - before.payee;
  if (lost !== price) throw new Error(`the payer lost ${lost} units, not the ${price} that were agreed`);
  if (gained !== price)
    throw new Error(`the payee gained ${gained} units, not the ${price} that were agreed`);
}
