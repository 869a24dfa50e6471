import type { GasCost } from '../observe/observers.ts';
import type { Inclusion } from '../types/inclusion.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { isLog, type ReceiptLog } from './token-logs.ts';

/** A transaction in a block, with its effects. Only the logs show whether the recipient was paid. */
export type Mined = Inclusion & {
  readonly logs: readonly ReceiptLog[];
  /** Whether the chain undid the whole transaction. */
  readonly isReverted: boolean;
  /** The account that signed the transaction; null where the node does not name it. */
  readonly sender: Address | null;
  /** Null where the node does not show it. */
  readonly gas: GasCost | null;
};

type Receipt = {
  readonly blockNumber?: unknown;
  readonly blockHash?: unknown;
  readonly logs?: unknown;
  readonly status?: unknown;
  readonly from?: unknown;
  readonly gasUsed?: unknown;
  readonly effectiveGasPrice?: unknown;
};

/** Reads a transaction's receipt; null while it is not mined. */
export async function readMined(rpc: Rpc, txHash: Bytes32): Promise<Result<Mined | null, RpcFault>> {
  const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [txHash]);
  if (!receipt.ok) return receipt;
  if (receipt.value === null) return ok(null);
  const { blockNumber, blockHash, logs, status, from } = receipt.value;
  const block = parseCount(blockNumber);
  const hash = typeof blockHash === 'string' ? parseBytes32(blockHash) : null;
  if (block === null || hash === null || !Array.isArray(logs) || !logs.every(isLog))
    return garbage('a receipt without block or logs');
  const isReverted = status === '0x0';
  const sender = typeof from === 'string' ? parseAddress(from) : null;
  const gas = readGas(receipt.value);
  return ok({ txHash, block, blockHash: hash, logs, isReverted, sender, gas });
}

function readGas({ gasUsed, effectiveGasPrice }: Receipt): GasCost | null {
  const [used, weiPerGas] = [parseQuantity(gasUsed), parseQuantity(effectiveGasPrice)];
  return used === null || weiPerGas === null ? null : { used, weiPerGas };
}

/**
 * Reads a transaction's receipt, and checks that its block is in the chain under its number: the store must not
 * depend on one response. Returns a fault where the node does not have the block yet.
 */
export async function readIncluded(rpc: Rpc, txHash: Bytes32): Promise<Result<Mined | null, RpcFault>> {
  const mined = await readMined(rpc, txHash);
  if (!mined.ok || mined.value === null) return mined;
  const params = [quantity(mined.value.block), false];
  const block = await rpc.call<{ hash?: unknown } | null>('eth_getBlockByNumber', params);
  if (!block.ok) return block;
  const hash = block.value?.hash;
  const isThere = typeof hash === 'string' && parseBytes32(hash) === mined.value.blockHash;
  return isThere ? mined : garbage('a receipt of a block that is not in the chain');
}

/** Whether a transaction is in its block. `listed`: the block lists it, and the node shows no receipt of it. */
export type InclusionCheck = 'shown' | 'listed' | 'gone';

/**
 * Checks that a transaction is still in the block that the store has for it. A missing receipt alone says
 * nothing: a node may lose its receipts and keep its blocks (D-207).
 */
export async function checkInclusion(
  rpc: Rpc,
  inclusion: Inclusion,
): Promise<Result<InclusionCheck, RpcFault>> {
  const mined = await readMined(rpc, inclusion.txHash);
  if (!mined.ok) return mined;
  if (mined.value !== null) return ok(mined.value.blockHash === inclusion.blockHash ? 'shown' : 'gone');
  const place = await findPlace(rpc, inclusion);
  return place.ok ? ok(place.value === null ? 'gone' : 'listed') : place;
}

/** Finds the place of a transaction in its block. Null if the chain has another block, or the block lacks it. */
export async function findPlace(
  rpc: Rpc,
  { txHash, block, blockHash }: Inclusion,
): Promise<Result<number | null, RpcFault>> {
  const read = await readBlock(rpc, quantity(block));
  if (!read.ok) return read;
  const hash = read.value?.hash;
  if (typeof hash !== 'string' || parseBytes32(hash) !== blockHash) return ok(null);
  const place = listTransactions(read.value).indexOf(txHash);
  return ok(place === -1 ? null : place);
}

type Block = { readonly number?: unknown; readonly hash?: unknown; readonly transactions?: unknown };

/** Reads a block with the hashes of its transactions. */
export function readBlock(rpc: Rpc, block: string): Promise<Result<Block | null, RpcFault>> {
  return rpc.call<Block | null>('eth_getBlockByNumber', [block, false]);
}

/** Lists the hashes of the transactions of a block; none where the node names none. */
export function listTransactions(block: Block | null): readonly Bytes32[] {
  if (!Array.isArray(block?.transactions)) return [];
  return block.transactions
    .map((hash) => (typeof hash === 'string' ? parseBytes32(hash) : null))
    .filter((hash) => hash !== null);
}

/** Blocks of one query. Nodes limit them, and the public nodes of our network advise this number. */
export const blocksPerQuery = 2_000;

/** Encodes a number for JSON-RPC. */
export function quantity(number: number): `0x${string}` {
  return `0x${number.toString(16)}`;
}

export type Head = { readonly block: number; readonly seconds: bigint };

/** Reads number and time of a block, by default the newest. The token compares a window with this time. */
export async function readHead(
  rpc: Rpc,
  tag: 'latest' | 'pending' | 'finalized' | `0x${string}` = 'latest',
): Promise<Result<Head, RpcFault>> {
  const block = await rpc.call<{ number?: unknown; timestamp?: unknown } | null>('eth_getBlockByNumber', [
    tag,
    false,
  ]);
  if (!block.ok) return block;
  const number = parseCount(block.value?.number);
  const seconds = parseQuantity(block.value?.timestamp);
  return number === null || seconds === null
    ? garbage('a block without number or time')
    : ok({ block: number, seconds });
}

/**
 * Reads the chain time that the token would use now. The newest block may be old where blocks come only with
 * transactions, so the pending block counts too.
 */
export async function readChainTime(rpc: Rpc): Promise<Result<bigint, RpcFault>> {
  const latest = await readHead(rpc);
  if (!latest.ok) return latest;
  const pending = await readHead(rpc, 'pending');
  const isLater = pending.ok && pending.value.seconds > latest.value.seconds;
  return ok(isLater ? pending.value.seconds : latest.value.seconds);
}

/** Counts the transactions of a relayer that are in blocks. The count is the relayer's lowest open nonce. */
export async function readMinedNonce(rpc: Rpc, relayer: Address): Promise<Result<number, RpcFault>> {
  const count = await rpc.call<unknown>('eth_getTransactionCount', [relayer, 'latest']);
  if (!count.ok) return count;
  const parsed = parseCount(count.value);
  return parsed === null ? garbage('no transaction count') : ok(parsed);
}

/** Decodes a number of JSON-RPC; null for anything else. */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : null;
}

/** Decodes a count of blocks or nonces; null for anything else, and for a number past the safe integers. */
export function parseCount(value: unknown): number | null {
  const count = parseQuantity(value);
  return count === null || count > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(count);
}

/** The fault of a node whose response has another shape than the method allows. */
export function garbage(what: string): Result<never, RpcFault> {
  return fail({ kind: 'unavailable', message: `the node gives ${what}` });
}
