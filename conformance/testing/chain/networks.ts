import { randomBytes } from 'node:crypto';
import type { SettlementType } from '@paid-inference/contract/types';
import { type GatewayProxy, json, startProxy } from '../proxy.ts';
import { type ChainEdits, createFakeChain } from './fake-chain.ts';
import { createFakeLedger, type LedgerEdits } from './fake-ledger.ts';

export type NetworkEdits = {
  readonly chain?: ChainEdits;
  readonly ledger?: LedgerEdits;
  /** Chooses the transaction that a receipt names. The last hash is the right one. */
  readonly shownTxHash?: (hashes: readonly string[]) => string | undefined;
  /** A payment with this response status is settled nevertheless. */
  readonly settlesBeside?: number;
  /** Changes the proof header; undefined leaves it out. */
  readonly proofHeader?: (text: string) => string | undefined;
  /** The gateway does not publish the state of its proofs (D-31). */
  readonly isSilentOnProofs?: true;
};

export type Networked = GatewayProxy & { readonly chainRpcUrl: string; readonly ledgerRpcUrl: string };

/**
 * Adds a fake test network and a fake ledger network to a gateway without settlement and proofs, through a
 * proxy.
 */
export async function startNetworks(gatewayUrl: string, edits: NetworkEdits = {}): Promise<Networked> {
  const chain = createFakeChain(edits.chain ?? {});
  const ledger = createFakeLedger(edits.ledger ?? {});
  let asset = '';
  const hashes: string[] = [];

  const proxy = await startProxy(gatewayUrl, async (request, forward) => {
    const { path, body } = request;
    if (path === '/chain' || path === '/ledger') {
      const { id, method, params } = JSON.parse(body);
      const result = (path === '/chain' ? chain : ledger).respond(method, params);
      const error = { code: -32_601, message: `unknown method ${method}` };
      return json(200, { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
    }
    const record = edits.isSilentOnProofs ? undefined : ledger.record(path.replace('/v1/proofs/', ''));
    if (record) return json(200, record);

    const respond = await forward();
    const offer = decoded(respond.headers['x-payment-required']);
    if (offer) asset = String(offer['asset']);
    const receipt = decoded(respond.headers['x-payment-response']);
    const payment = decoded(request.headers['x-payment']);
    if (payment?.['payload'] && respond.status === edits.settlesBeside) {
      chain.settle(`0x${randomBytes(32).toString('hex')}`, asset, payment['payload'].authorization);
    }
    if (!receipt || !payment) return respond;
    const txHash = String(receipt['txHash']);
    hashes.push(txHash);
    chain.settle(txHash, asset, payment['payload'].authorization);
    const shownReceipt = { ...receipt, txHash: edits.shownTxHash?.(hashes) ?? txHash };
    const type = request.headers['x-settlement-type'] as SettlementType | undefined;
    const proof = await ledger.prove(type, body, respond.body);
    const shown = edits.proofHeader ? edits.proofHeader(encoded(proof)) : encoded(proof);
    const headers = { ...respond.headers, 'x-payment-response': encoded(shownReceipt) };
    return {
      ...respond,
      headers: shown === undefined ? headers : { ...headers, 'x-inference-proof': shown },
    };
  });
  return { ...proxy, chainRpcUrl: `${proxy.url}/chain`, ledgerRpcUrl: `${proxy.url}/ledger` };
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

function decoded(header: string | string[] | undefined) {
  if (typeof header !== 'string') return undefined;
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
