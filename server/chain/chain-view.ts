import type { Inclusion } from '../types/inclusion.ts';

import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import type { PaymentToken } from './token.ts';
import { type ExpectedPayment, type ReceiptLog, topic } from './token-logs.ts';
import { addressWord, bytes32Word } from './word.ts';

/** A transaction in a block, and what it did. Only the logs say whether somebody was paid. */
export type Mined = Inclusion & {
  readonly logs: readonly ReceiptLog[];
  /** The whole transaction was undone. */
  readonly isReverted: boolean;
  /** Whose key signed it; null where the node does not say. */
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
 * As `readMined`, and the chain was asked whether that block stands under that number: what the store writes down is not
 * left to one answer. No answer where the node that is asked does not have the block yet.
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
 * Finds the transaction that spent a payment's nonce, whichever account sent it: a third party may copy an authorization from
 * the pool and send it first. Null while the nonce is not spent; `unseen` where it is, and no log among the newest blocks
 * names the transaction. A node may bound its queries to fewer blocks than we ask for, or know fewer logs than blocks.
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
    // The nonce is spent, so a node without the receipt lags behind itself.
    return ok(mined.value ?? 'unseen');
  }
  return ok('unseen');
}

/** Queries for the logs of one payment. A node that bounds them to 10 blocks is searched through its newest 250. */
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

/** Nodes bound how many blocks one query may span; the public ones of our network advise to stay at this. */
export const blocksPerQuery = 2_000;

/** A number as JSON-RPC takes it. */
export function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

export type Head = { readonly block: number; readonly seconds: bigint };

/** Number and time of a block, by default the newest: what the token compares a window with. */
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
 * What the token would take for the time now. The newest block may be old where blocks come only with transactions; then
 * the one that is being built tells.
 */
export async function readChainTime(rpc: Rpc): Promise<Result<bigint, RpcFault>> {
  const latest = await readHead(rpc);
  if (!latest.ok) return latest;
  const pending = await readHead(rpc, 'pending');
  const isLater = pending.ok && pending.value.seconds > latest.value.seconds;
  return ok(isLater ? pending.value.seconds : latest.value.seconds);
}

/** How many transactions of a relayer are in blocks: its lowest nonce that is still open. */
export async function readMinedNonce(rpc: Rpc, relayer: Address): Promise<Result<number, RpcFault>> {
  const count = await rpc.call<unknown>('eth_getTransactionCount', [relayer, 'latest']);
  if (!count.ok) return count;
  const parsed = parseCount(count.value);
  return parsed === null ? garbage('no transaction count') : ok(parsed);
}

/** A number as JSON-RPC writes it. */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : null;
}

/** The same where the number counts blocks or nonces, which no chain has more of than a number can tell apart. */
export function parseCount(value: unknown): number | null {
  const count = parseQuantity(value);
  return count === null || count > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(count);
}

function garbage(what: string): Result<never, RpcFault> {
  return fail({ kind: 'unavailable', message: `the node gives ${what}` });
}
