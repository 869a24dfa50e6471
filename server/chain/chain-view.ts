import type { Inclusion } from '../types/inclusion.ts';

import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import type { PaymentToken } from './token.ts';
import { type ExpectedPayment, type ReceiptLog, topic } from './token-logs.ts';
import { addressWord, bytes32Word } from './word.ts';

/** A transaction in a block, with its effects. Only the logs show whether the recipient was paid. */
export type Mined = Inclusion & {
  readonly logs: readonly ReceiptLog[];
  /** Whether the chain undid the whole transaction. */
  readonly isReverted: boolean;
  /** The account that signed the transaction; null where the node does not name it. */
  readonly sender: Address | null;
};

type Receipt = {
  readonly blockNumber?: unknown;
  readonly blockHash?: unknown;
  readonly logs?: unknown;
  readonly status?: unknown;
  readonly from?: unknown;
};

/** Reads a transaction's receipt; null while it is not mined. */
export async function readMined(rpc: Rpc, txHash: Bytes32): Promise<Result<Mined | null, RpcFault>> {
  const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [txHash]);
  if (!receipt.ok) return receipt;
  if (receipt.value === null) return ok(null);
  const { blockNumber, blockHash, logs, status, from } = receipt.value;
  const block = parseCount(blockNumber);
  const hash = typeof blockHash === 'string' ? parseBytes32(blockHash) : null;
  if (block === null || hash === null || !Array.isArray(logs))
    return garbage('a receipt without block or logs');
  const isReverted = status === '0x0';
  const sender = typeof from === 'string' ? parseAddress(from) : null;
  return ok({ txHash, block, blockHash: hash, logs: logs as readonly ReceiptLog[], isReverted, sender });
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

/**
 * Finds the transaction that spent a payment's nonce. Its sender may be a third party that copied the
 * authorization from the pool. Returns null while the nonce is not spent. Returns `unseen` where it is spent
 * and no log of the newest blocks names the transaction: a node may limit its queries to fewer blocks, or have
 * fewer logs than blocks.
 */
export async function findSpender(
  rpc: Rpc,
  token: PaymentToken,
  payment: ExpectedPayment,
  logBlocksMax: number,
): Promise<Result<Mined | 'unseen' | null, RpcFault>> {
  const spent = await token.authorizationState(payment.from, payment.nonce);
  if (!spent.ok) return spent;
  if (!spent.value) return ok(null);
  const head = await readHead(rpc);
  if (!head.ok) return head;
  const oldest = Math.max(0, head.value.block - logBlocksMax);
  let blocks = blocksPerQuery;
  let toBlock = head.value.block;
  for (let queries = 0; toBlock >= oldest && queries < queriesMax; queries += 1) {
    const fromBlock = Math.max(oldest, toBlock - blocks + 1);
    const txHash = await spenderWithin(rpc, payment, fromBlock, toBlock);
    if (!txHash.ok) {
      if (txHash.fault.kind !== 'refused') return txHash;
      if (blocks === 1) return ok('unseen');
      blocks = Math.ceil(blocks / 4);
      continue;
    }
    toBlock = fromBlock - 1;
    if (txHash.value === null) continue;
    const mined = await readIncluded(rpc, txHash.value);
    if (!mined.ok) return mined;
    // The nonce is spent, so a node without the receipt has not caught up with its own logs.
    return ok(mined.value ?? 'unseen');
  }
  return ok('unseen');
}

/** Most queries for the logs of one payment. With 10 blocks a query, they cover the newest 250 blocks. */
const queriesMax = 32;

async function spenderWithin(
  rpc: Rpc,
  { asset, from, nonce }: ExpectedPayment,
  fromBlock: number,
  toBlock: number,
): Promise<Result<Bytes32 | null, RpcFault>> {
  const events = [topic.authorizationUsed, topic.authorizationCanceled];
  const topics = [events, `0x${addressWord(from)}`, `0x${bytes32Word(nonce)}`];
  const filter = { address: asset, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok) return logs;
  if (!Array.isArray(logs.value)) return garbage('no list of logs');
  const first = logs.value[0] as { transactionHash?: unknown } | undefined;
  return ok(typeof first?.transactionHash === 'string' ? parseBytes32(first.transactionHash) : null);
}

/** Blocks of one query. Nodes limit them, and the public nodes of our network advise this number. */
export const blocksPerQuery = 2_000;

/** Encodes a number for JSON-RPC. */
export function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

export type Head = { readonly block: number; readonly seconds: bigint };

/** Reads number and time of a block, by default the newest. The token compares a window with this time. */
export async function readHead(
  rpc: Rpc,
  tag: 'latest' | 'pending' | 'finalized' = 'latest',
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

function garbage(what: string): Result<never, RpcFault> {
  return fail({ kind: 'unavailable', message: `the node gives ${what}` });
}
