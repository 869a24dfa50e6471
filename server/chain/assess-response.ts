import type { Result } from '../types/result.ts';
import { parseBytes32, parseHex } from '../types/units.ts';
import type { RpcFault } from './rpc.ts';

/** How the gateway may use the response of one endpoint when others can be called too. */
export type Worth =
  /** The response states a fact of the chain. */
  | { readonly kind: 'chain' }
  /** This endpoint cannot tell, and another may: it has pruned the data, or does not have the data yet. */
  | { readonly kind: 'cannot-tell' }
  /** The response states nothing about the chain. The gateway calls other endpoints from now on. */
  | { readonly kind: 'none'; readonly reason: string };

const fromChain: Worth = { kind: 'chain' };
const cannotTell: Worth = { kind: 'cannot-tell' };

/**
 * Tells facts of the chain from the limits of one endpoint. An error counts as the chain's, unless it concerns
 * the data or the rate limit of the node. A result that the method cannot have counts as no response.
 */
export function assessResponse(
  method: string,
  params: readonly unknown[],
  response: Result<unknown, RpcFault>,
): Worth {
  if (response.ok) {
    const worth = shapes[method]?.(response.value, params[0]) ?? fromChain;
    return worth === 'nonsense'
      ? { kind: 'none', reason: `it returned an invalid result for ${method}` }
      : worth;
  }
  const { fault } = response;
  if (fault.kind === 'unavailable') return { kind: 'none', reason: fault.message };
  if (isOverRate(fault)) return { kind: 'none', reason: fault.message };
  return isOfTheNode(fault) ? cannotTell : fromChain;
}

/** A node that has the transaction already rejects it, which is no failure. The error text differs by node. */
export function isKnownTransaction(fault: RpcFault): boolean {
  return fault.kind === 'refused' && /already known|already imported|known transaction/i.test(fault.message);
}

type Refusal = Extract<RpcFault, { kind: 'refused' }>;

/** Some providers report a rate limit with HTTP 200 and an error text of their own. */
function isOverRate({ code, message }: Refusal): boolean {
  return (
    code === 429 || /rate limit|request limit|too many requests|(count|capacity) exceeded/i.test(message)
  );
}

/**
 * EIP-1474: resource not found or unavailable, method not supported, limit exceeded. JSON-RPC: no such method,
 * internal error. EIP-4444: pruned history. The other errors share one code and differ only in their text.
 */
const nodeCodes: readonly number[] = [-32_001, -32_002, -32_004, -32_005, -32_601, -32_603, 4_444];
const nodeWords =
  /unknown block|(block|header|state|data|history)\b.*\bnot (found|available)|unavailable|no state|missing trie node|pruned|pruning|block range|timed? ?out/i;

function isOfTheNode({ code, message, data }: Refusal): boolean {
  return data === undefined && code !== 3 && (nodeCodes.includes(code) || nodeWords.test(message));
}

type Shape = (value: unknown, first: unknown) => Worth | 'nonsense';

const quantity: Shape = (value) => (isQuantity(value) ? fromChain : 'nonsense');
/** `eth_call` returns `0x` where the node has no code: no contract exists, or the node has not seen it yet. */
const data: Shape = (value) => {
  if (typeof value !== 'string' || parseHex(value) === null) return 'nonsense';
  return value === '0x' ? cannotTell : fromChain;
};

const shapes: Readonly<Record<string, Shape>> = {
  eth_chainId: quantity,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_call: data,
  eth_getCode: data,
  eth_getLogs: (value) => (Array.isArray(value) ? fromChain : 'nonsense'),
  eth_sendRawTransaction: (value) => (isHash(value) ? fromChain : 'nonsense'),
  eth_getBlockByNumber(value, asked) {
    // A chain always has a newest block. Only the newest block must exist.
    if (value === null) return asked === 'latest' ? 'nonsense' : cannotTell;
    if (!isObject(value) || !isQuantity(value['timestamp'])) return 'nonsense';
    if (asked === 'pending') return fromChain;
    const isAsked = !isQuantity(asked) || (isQuantity(value['number']) && same(value['number'], asked));
    return isQuantity(value['number']) && isHash(value['hash']) && isAsked ? fromChain : 'nonsense';
  },
  eth_getTransactionReceipt(value, asked) {
    if (value === null) return fromChain;
    const isReceipt =
      isObject(value) &&
      isHash(value['transactionHash']) &&
      String(value['transactionHash']).toLowerCase() === String(asked).toLowerCase() &&
      isHash(value['blockHash']) &&
      isQuantity(value['blockNumber']) &&
      Array.isArray(value['logs']);
    return isReceipt ? fromChain : 'nonsense';
  },
};

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value);
}

function same(one: string, other: string): boolean {
  return BigInt(one) === BigInt(other);
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && parseBytes32(value) !== null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
