import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { computeTopic } from '../chain/abi.ts';
import { topic } from '../chain/token-logs.ts';
import type { Address } from '../types/units.ts';

/** The one event that the page may look up on a chain, and the number of indexed fields that name one such event. */
export type SiteEvent = { readonly topic: string; readonly idFields: number };

/** The use of the nonce of a payment. Payer and nonce name it. */
export const nonceUse: SiteEvent = { topic: topic.authorizationUsed, idFields: 2 };

/** The record of a proof. The id of the proof names it. */
export const proofRecord: SiteEvent = { topic: computeTopic(signatureOf('InferenceRecorded')), idFields: 1 };

type Params = readonly unknown[];
type Place = { readonly contract: Address; readonly event: SiteEvent };
/** Returns the parameters for the node, or null for a call that the page may not make. */
type Check = (params: Params, place: Place) => Params | null;

/** The most gas of a call, 500,000 units. The token may run code of an account that a visitor names (ERC-1271). */
const callGasMax = '0x7a120';

/** The calls of the client's verifier. Each reads one block, one transaction, or the one contract (D-373). */
const checks: Readonly<Record<string, Check>> = {
  eth_chainId: () => [],
  eth_blockNumber: () => [],
  eth_getBlockByNumber: ([block, full]) => (isBlock(block) && full === false ? [block, false] : null),
  eth_getTransactionReceipt: ([hash]) => (isHash(hash) ? [hash] : null),
  eth_getCode: ([address, block], { contract }) =>
    isContract(address, contract) && isBlock(block) ? [contract, block] : null,
  eth_call([call, block], { contract }) {
    const { to, data } = Object(call) as { readonly to?: unknown; readonly data?: unknown };
    return isContract(to, contract) && isCalldata(data) && isBlock(block)
      ? [{ to: contract, data, gas: callGasMax }, block]
      : null;
  },
  eth_getLogs: ([filter], place) => checkFilter(Object(filter), place),
};

/**
 * Checks a call of the page. Only the checked parts reach the node: an override of the state, for one, would let a
 * visitor run any code there. Null for a call that the page may not make.
 */
export function checkCall(method: unknown, params: unknown, place: Place): Params | null {
  if (typeof method !== 'string' || !Object.hasOwn(checks, method) || !Array.isArray(params)) return null;
  return checks[method]?.(params, place) ?? null;
}

type Filter = Readonly<Partial<Record<'address' | 'topics' | 'fromBlock' | 'toBlock', unknown>>>;

/** Logs of one event with its whole id. With less, a visitor could list the payments or the proofs of others (D-377). */
function checkFilter(
  { address, topics, fromBlock, toBlock }: Filter,
  { contract, event }: Place,
): Params | null {
  const [first, ...indexed] = Array.isArray(topics) ? topics : [];
  const ids = indexed.slice(0, event.idFields);
  const isOne = ids.length === event.idFields && ids.every(isHash);
  if (address !== undefined && !isContract(address, contract)) return null;
  const isEvent = typeof first === 'string' && first.toLowerCase() === event.topic;
  if (!isEvent || !isOne || !isBlock(fromBlock) || !isBlock(toBlock)) return null;
  return [{ address: contract, topics: [event.topic, ...ids], fromBlock, toBlock }];
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value);
}

/** The longest call of the verifier has a proof and its Merkle path, which is far shorter. */
function isCalldata(value: unknown): boolean {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{0,8192}$/.test(value);
}

function isBlock(value: unknown): boolean {
  return typeof value === 'string' && /^(?:latest|finalized|safe|0x[0-9a-fA-F]{1,16})$/.test(value);
}

function isContract(value: unknown, contract: Address): boolean {
  return typeof value === 'string' && value.toLowerCase() === contract;
}

/** A block without its transactions. With them, a visitor could walk all payments, block by block (D-377). */
export function presentResult(method: unknown, result: unknown): unknown {
  const isNamed = method === 'eth_getBlockByNumber' && typeof result === 'object' && result !== null;
  return isNamed ? { ...result, transactions: [] } : result;
}

type AbiEntry = {
  readonly type: string;
  readonly name: string;
  readonly inputs: readonly { readonly type: string }[];
};

function signatureOf(name: string): string {
  const abi: readonly AbiEntry[] = inferenceLedgerAbi;
  const event = abi.find((each) => each.type === 'event' && each.name === name);
  return `${name}(${event?.inputs.map(({ type }) => type).join(',')})`;
}
