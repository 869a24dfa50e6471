import { headerNames } from '@paid-inference/contract/constants';
import { decodePaymentReceipt } from '@paid-inference/contract/headers';
import type { PaymentAuthorization, PaymentReceipt } from '@paid-inference/contract/types';

export type ReceiptCheck =
  | { readonly ok: true; readonly receipt: PaymentReceipt }
  | { readonly ok: false; readonly message: string };

/**
 * Reads `X-PAYMENT-RESPONSE` and compares it with the authorization (contract §2.11). The codec rejects another
 * network or chain id. Whether the transfer is on the chain, only the chain shows.
 */
export function readReceipt(headers: Headers, authorization: PaymentAuthorization): ReceiptCheck {
  const text = headers.get(headerNames.paymentResponse);
  if (text === null) return fault('is missing');
  const decoded = decodePaymentReceipt(text);
  if (!decoded.ok) return fault(`${decoded.message}${decoded.path === '' ? '' : ` at ${decoded.path}`}`);
  const receipt = decoded.value;
  if (!receipt.success) return fault('says that the settlement failed');
  if (receipt.payer.toLowerCase() !== authorization.from.toLowerCase()) {
    return fault(`names the payer ${receipt.payer}, not ${authorization.from}`);
  }
  if (receipt.amount !== undefined && receipt.amount !== authorization.value) {
    return fault(`says that ${receipt.amount} units were paid, not ${authorization.value}`);
  }
  if (receipt.transaction !== undefined && !isSameHash(receipt.transaction, receipt.txHash)) {
    return fault('names two transactions');
  }
  return { ok: true, receipt };
}

function fault(message: string): ReceiptCheck {
  return { ok: false, message: `${headerNames.paymentResponse} ${message}` };
}

function isSameHash(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
