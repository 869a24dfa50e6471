import { chainId, network } from '@paid-inference/contract/constants';
import type { PaymentReceipt } from '@paid-inference/contract/types';
import type { Authorization } from '../types/authorization.ts';
import type { Bytes32 } from '../types/units.ts';

/** The receipt of a settled payment, as its payer gets it. */
export function makeReceipt(
  { authorization: { from, value } }: { readonly authorization: Authorization },
  txHash: Bytes32,
): PaymentReceipt {
  return {
    success: true,
    network,
    chainId,
    txHash,
    payer: from,
    transaction: txHash,
    amount: value.toString(),
  };
}
