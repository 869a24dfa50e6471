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
/** Returns the parameters for the node; null for a call that the page may not make. */
type Narrow = (params: Params, contract: Address) => Params | null;

const isHash = (value: unknown) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);
const isBlock = (value: unknown) =>
  typeof value === 'string' && /^(?:latest|finalized|safe|0x[0-9a-fA-F]{1,16})$/.test(value);
const isContract = (value: unknown, contract: Address) =>
  typeof value === 'string' && value.toLowerCase() === contract;
/** The longest call of the verifier has a proof and its Merkle path, which is far shorter. */
const isCalldata = (value: unknown) => typeof value === 'string' && /^0x[0-9a-fA-F]{0,8192}$/.test(value);

/**
 * The calls of the client's verifier. Each reads one block, one transaction, or the one contract (D-373). The node gets
 * only the parameters that are checked here: others of `eth_call` replace the code of the contract.
 */
const allowed: Readonly<Record<string, Narrow>> = {
  eth_chainId: () => [],
  eth_blockNumber: () => [],
  eth_getBlockByNumber: ([block, full]) => (isBlock(block) && full === false ? [block, full] : null),
  eth_getTransactionReceipt: ([hash]) => (isHash(hash) ? [hash] : null),
  eth_getCode: ([address, block], contract) =>
    isContract(address, contract) && isBlock(block) ? [address, block] : null,
  eth_call([call, block], contract) {
    const { to, data } = Object(call) as { readonly to?: unknown; readonly data?: unknown };
    return isContract(to, contract) && isCalldata(data) && isBlock(block) ? [{ to, data }, block] : null;
  },
  eth_getLogs([filter], contract) {
    const { address, topics, fromBlock, toBlock } = Object(filter) as Readonly<Record<string, unknown>>;
    const isNarrow = isContract(address, contract) && isNarrowTopics(topics);
    return isNarrow && isBlock(fromBlock) && isBlock(toBlock)
      ? [{ address, topics, fromBlock, toBlock }]
      : null;
  },
};

/** The topics of one event with one id in an indexed field, so that no call reads all events. */
function isNarrowTopics(topics: unknown): boolean {
  if (!Array.isArray(topics) || topics.length > topicsMax) return false;
  const [event, ...ids] = topics as readonly unknown[];
  return isHash(event) && ids.some(isHash) && ids.every((id) => id === null || isHash(id));
}

/** The most topics that a log can have. */
const topicsMax = 4;

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
      const narrow =
        typeof method === 'string' && Object.hasOwn(allowed, method) ? allowed[method] : undefined;
      const narrowed = Array.isArray(params) ? narrow?.(params, contract) : undefined;
      if (typeof method !== 'string' || !narrowed)
        return respondWith(id, { error: { code: -32_601, message: 'The page may not make this call.' } });
      const refusal = await admit(network);
      if (refusal !== null) return refusal;
      if (calls >= callsMax)
        return errorReply('overloaded', 'Too many visitors read this chain.', { retryAfterSeconds: 1 });
      calls++;
      try {
        const options = { timeoutMs: callTimeoutMs, isForVisitor: true };
        const result = await rpc.call<unknown>(method, narrowed, options);
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
