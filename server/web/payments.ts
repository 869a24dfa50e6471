import { errorReply } from '../http/reply.ts';
import type { SiteRoute } from '../http/site-route.ts';
import type { StoredPayment } from '../store/reader.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';
import type { AdmitSite } from './admit-site.ts';

/** A payment as the page shows it: without signature, request, completion and proof (D-374). */
export type SitePayment = {
  readonly state: StoredPayment['state'];
  readonly asset: string;
  readonly payer: string;
  readonly payTo: string;
  readonly amount: string;
  readonly nonce: string;
  readonly settlementType: StoredPayment['settlementType'];
  /** Unix seconds. */
  readonly reservedAt: number;
  readonly settledAt: number | null;
  readonly validBefore: string;
  readonly txHash: string | null;
  readonly block: number | null;
};

/** Finds the payment of an authorization by its payer and its nonce. */
export type FindPayment = (payer: Address, nonce: Bytes32) => Promise<StoredPayment | null>;

/**
 * Shows one payment to a visitor who knows its payer and its nonce. The nonce has 32 random bytes, so no visitor can list
 * the payments of others (D-374).
 */
export function paymentRoute(nonceText: string, find: FindPayment, admit: AdmitSite): SiteRoute {
  return {
    method: 'GET',
    queryNames: ['payer'],
    async respond({ query, network }) {
      const refusal = await admit(network);
      if (refusal !== null) return refusal;
      const nonce = parseBytes32(nonceText);
      const payer = parseAddress(query['payer'] ?? '');
      if (nonce === null)
        return errorReply('invalid_request', 'The nonce must be 32 bytes as hex.', { param: 'nonce' });
      if (payer === null)
        return errorReply('invalid_request', 'payer must be the address that paid.', { param: 'payer' });
      const payment = await find(payer, nonce);
      if (payment === null)
        return errorReply('not_found', 'The gateway has no such payment.', { param: 'nonce' });
      return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: present(payment) };
    },
  };
}

function present({ authorization, ...payment }: StoredPayment): SitePayment {
  const { state, asset, settlementType, createdAt, settledAt, txHash, block } = payment;
  const { from, to, value, nonce, validBefore } = authorization;
  return {
    state,
    asset,
    payer: from,
    payTo: to,
    amount: String(value),
    nonce,
    settlementType,
    reservedAt: createdAt,
    settledAt,
    validBefore: String(validBefore),
    txHash,
    block,
  };
}
