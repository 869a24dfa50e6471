import type { SiteFacts } from '../facts.ts';
import { gatewayUrl } from './root.ts';

/** The nodes of both chains, which the page reads through the gateway. */
export function nodeUrls(): { readonly chainRpcUrl: string; readonly ledgerRpcUrl: string } {
  return {
    chainRpcUrl: `${gatewayUrl}/web/nodes/payments`,
    ledgerRpcUrl: `${gatewayUrl}/web/nodes/proofs`,
  };
}

/** The contracts that the page trusts: those that this gateway names. */
export function pinned({ token, proofLedger }: SiteFacts): {
  readonly ledger: string;
  readonly token: string;
} {
  return { ledger: proofLedger.contract, token: token.address };
}
