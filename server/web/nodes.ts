import type { Rpc } from '../chain/rpc.ts';
import { errorReply, type FinishedReply } from '../http/reply.ts';
import type { SiteRoute } from '../http/site-route.ts';
import type { Address } from '../types/units.ts';
import type { AdmitSite } from './admit-site.ts';

/** A chain that the page reads through the gateway, and the one contract that it may read there. */
export type SiteNode = { readonly rpc: Rpc; readonly contract: Address };

/** Calls in progress of all visitors for one chain. More calls get `overloaded`. */
const callsMax = 8;
const callTimeoutMs = 5_000;

type Params = readonly unknown[];
type Allows = (params: Params, contract: Address) => boolean;

const isHash = (value: unknown) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);
const isBlock = (value: unknown) =>
  typeof value === 'string' && /^(?:latest|finalized|safe|0x[0-9a-fA-F]{1,16})$/.test(value);
const isContract = (value: unknown, contract: Address) =>
  typeof value === 'string' && value.toLowerCase() === contract;

/** The calls of the client's verifier. Each reads one block, one transaction, or the one contract (D-373). */
const allowed: Readonly<Record<string, Allows>> = {
  eth_chainId: () => true,
  eth_blockNumber: () => true,
  eth_getBlockByNumber: ([block, full]) => isBlock(block) && full === false,
  eth_getTransactionReceipt: ([hash]) => isHash(hash),
  eth_getCode: ([address, block], contract) => isContract(address, contract) && isBlock(block),
  eth_call: ([call, block], contract) =>
    isContract(Reflect.get(Object(call), 'to'), contract) && isBlock(block),
  eth_getLogs: ([filter], contract) => isNarrow(Object(filter), contract),
};

/** Logs of the contract with one id in an indexed field, so that no call reads all events. */
function isNarrow(
  { address, topics }: { readonly address?: unknown; readonly topics?: unknown },
  contract: Address,
): boolean {
  return (
    isContract(address, contract) &&
    Array.isArray(topics) &&
    isHash(topics[0]) &&
    topics.slice(1).some(isHash)
  );
}

/** Reads a chain for the page, which may call only the gateway (D-373). */
export function nodeRoute({ rpc, contract }: SiteNode, admit: AdmitSite): SiteRoute {
  let calls = 0;
  return {
    method: 'POST',
    async respond({ body, network }) {
      const {
        id,
        method,
        params = [],
      } = Object(body) as { id?: unknown; method?: unknown; params?: unknown };
      const isAllowed =
        typeof method === 'string' && Object.hasOwn(allowed, method) ? allowed[method] : undefined;
      if (typeof method !== 'string' || !Array.isArray(params) || !isAllowed?.(params, contract))
        return respondWith(id, { error: { code: -32_601, message: 'The page may not make this call.' } });
      const refusal = await admit(network);
      if (refusal !== null) return refusal;
      if (calls >= callsMax)
        return errorReply('overloaded', 'Too many visitors read this chain.', { retryAfterSeconds: 1 });
      calls++;
      try {
        const result = await rpc.call<unknown>(method, params, { timeoutMs: callTimeoutMs });
        if (result.ok) return respondWith(id, { result: result.value });
        const { fault } = result;
        if (fault.kind === 'unavailable')
          return errorReply('unavailable', 'The node of this chain does not respond.', {
            retryAfterSeconds: 1,
          });
        const { code, message, data } = fault;
        return respondWith(id, { error: { code, message, ...(data !== undefined && { data }) } });
      } finally {
        calls--;
      }
    },
  };
}

function respondWith(id: unknown, rest: object): FinishedReply {
  const known = typeof id === 'number' || typeof id === 'string' ? id : null;
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    body: { jsonrpc: '2.0', id: known, ...rest },
  };
}
