import type { Result } from '../types/result.ts';
import { parseBytes32, parseHex } from '../types/units.ts';
import type { RpcFault } from './rpc.ts';

/** What an answer is worth where there is another endpoint to ask. */
export type Worth =
  /** The chain's word. */
  | { readonly kind: 'word' }
  /** This endpoint cannot tell, and another may: it has pruned what is asked for, or does not have it yet. */
  | { readonly kind: 'cannot-tell' }
  /** No answer of the chain, and a reason to ask somebody else from now on. */
  | { readonly kind: 'none'; readonly reason: string };

const word: Worth = { kind: 'word' };
const cannotTell: Worth = { kind: 'cannot-tell' };

/**
 * Tells the chain's word from what only one endpoint says of itself. A refusal is the chain's, unless it is about what
 * the node has or how much it may be asked; and an answer that the method cannot have is nobody's.
 */
export function worthOf(
  method: string,
  params: readonly unknown[],
  answer: Result<unknown, RpcFault>,
): Worth {
  if (answer.ok) {
    const worth = shapes[method]?.(answer.value, params[0]) ?? word;
    return worth === 'nonsense'
      ? { kind: 'none', reason: `it answers ${method} with what is no answer` }
      : worth;
  }
  const { fault } = answer;
  if (fault.kind === 'unavailable') return { kind: 'none', reason: fault.message };
  if (isOverRate(fault)) return { kind: 'none', reason: fault.message };
  return isOfTheNode(fault) ? cannotTell : word;
}

/** A node that has the transaction already is content; nodes word it differently. */
export function isKnownTransaction(fault: RpcFault): boolean {
  return fault.kind === 'refused' && /already known|already imported|known transaction/i.test(fault.message);
}

type Refusal = Extract<RpcFault, { kind: 'refused' }>;

/** Some providers turn a caller away with HTTP 200 and words of their own. */
function isOverRate({ code, message }: Refusal): boolean {
  return (
    code === 429 || /rate limit|request limit|too many requests|(count|capacity) exceeded/i.test(message)
  );
}

/**
 * EIP-1474: resource not found or unavailable, method not supported, limit exceeded; JSON-RPC: no such method, internal
 * error; EIP-4444: history that is pruned. The rest share one code, and only their words differ.
 */
const nodeCodes: readonly number[] = [-32_001, -32_002, -32_004, -32_005, -32_601, -32_603, 4_444];
const nodeWords =
  /unknown block|(block|header|state|data|history)\b.*\bnot (found|available)|unavailable|no state|missing trie node|pruned|pruning|block range|timed? ?out/i;

function isOfTheNode({ code, message, data }: Refusal): boolean {
  return data === undefined && code !== 3 && (nodeCodes.includes(code) || nodeWords.test(message));
}

type Shape = (value: unknown, first: unknown) => Worth | 'nonsense';

const quantity: Shape = (value) => (isQuantity(value) ? word : 'nonsense');
/** Where no code stands a call gives nothing; so does it at a node that has not seen the contract yet. */
const data: Shape = (value) => {
  if (typeof value !== 'string' || parseHex(value) === null) return 'nonsense';
  return value === '0x' ? cannotTell : word;
};

const shapes: Readonly<Record<string, Shape>> = {
  eth_chainId: quantity,
  eth_blockNumber: quantity,
  eth_getBalance: quantity,
  eth_getTransactionCount: quantity,
  eth_call: data,
  eth_getCode: data,
  eth_getLogs: (value) => (Array.isArray(value) ? word : 'nonsense'),
  eth_sendRawTransaction: (value) => (isHash(value) ? word : 'nonsense'),
  eth_getBlockByNumber(value, asked) {
    // There is always a newest block, and only a newest block.
    if (value === null) return asked === 'latest' ? 'nonsense' : cannotTell;
    if (!isObject(value) || !isQuantity(value['timestamp'])) return 'nonsense';
    if (asked === 'pending') return word;
    const isAsked = !isQuantity(asked) || (isQuantity(value['number']) && same(value['number'], asked));
    return isQuantity(value['number']) && isHash(value['hash']) && isAsked ? word : 'nonsense';
  },
  eth_getTransactionReceipt(value, asked) {
    if (value === null) return word;
    const isReceipt =
      isObject(value) &&
      isHash(value['transactionHash']) &&
      String(value['transactionHash']).toLowerCase() === String(asked).toLowerCase() &&
      isHash(value['blockHash']) &&
      isQuantity(value['blockNumber']) &&
      Array.isArray(value['logs']);
    return isReceipt ? word : 'nonsense';
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
