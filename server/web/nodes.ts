import type { Rpc } from '../chain/rpc.ts';
import { errorReply, type FinishedReply } from '../http/reply.ts';
import type { SiteRoute } from '../http/site-route.ts';
import type { Address } from '../types/units.ts';
import type { AdmitSite } from './admit-site.ts';
import { checkCall, presentResult, type SiteEvent } from './node-calls.ts';

/** A chain that the page reads through the gateway, and the one contract that it may read there. */
export type SiteNode = { readonly rpc: Rpc; readonly contract: Address };

/** Calls in progress of all visitors for one chain, and of one network. More calls get `overloaded`. */
const callsMax = 8;
const callsOfNetworkMax = 4;
const callTimeoutMs = 5_000;

/** Reads a chain for the page, which may call only the gateway (D-373). */
export function nodeRoute({ rpc, contract }: SiteNode, event: SiteEvent, admit: AdmitSite): SiteRoute {
  let calls = 0;
  const ofNetworks = new Map<string, number>();
  return {
    method: 'POST',
    async respond({ body, network }) {
      const {
        id,
        method,
        params = [],
      } = Object(body) as { id?: unknown; method?: unknown; params?: unknown };
      const checked = checkCall(method, params, { contract, event });
      if (checked === null)
        return respondWith(id, { error: { code: -32_601, message: 'The page may not make this call.' } });
      const refusal = await admit(network);
      if (refusal !== null) return refusal;
      const own = ofNetworks.get(network) ?? 0;
      if (calls >= callsMax || own >= callsOfNetworkMax)
        return errorReply('overloaded', 'Too many visitors read this chain.', { retryAfterSeconds: 1 });
      calls++;
      ofNetworks.set(network, own + 1);
      try {
        const options = { timeoutMs: callTimeoutMs, isForVisitor: true };
        const result = await rpc.call<unknown>(String(method), checked, options);
        if (result.ok) return respondWith(id, { result: presentResult(method, result.value) });
        const { fault } = result;
        if (fault.kind === 'unavailable')
          return errorReply('unavailable', 'The node of this chain does not respond.', {
            retryAfterSeconds: 1,
          });
        const { code, message, data } = fault;
        return respondWith(id, { error: { code, message, ...(data !== undefined && { data }) } });
      } finally {
        calls--;
        const left = (ofNetworks.get(network) ?? 1) - 1;
        if (left > 0) ofNetworks.set(network, left);
        else ofNetworks.delete(network);
      }
    },
  };
}

/** The page numbers its calls. A text could be as long as the body. */
function respondWith(id: unknown, rest: object): FinishedReply {
  const known = typeof id === 'number' ? id : null;
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { jsonrpc: '2.0', id: known, ...rest },
  };
}
