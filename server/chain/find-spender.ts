import { ok, type Result } from '../types/result.ts';
import {
  type Address,
  type Bytes32,
  parseAddress,
  parseBytes32,
  type UnixSeconds,
  unixSeconds,
} from '../types/units.ts';
import {
  blocksPerQuery,
  findPlace,
  garbage,
  type Mined,
  parseCount,
  quantity,
  readHead,
  readIncluded,
} from './chain-view.ts';
import { findBlockAt } from './find-block.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { createPaymentToken, type PaymentToken } from './token.ts';
import { type ExpectedPayment, isLog, type ReceiptLog, topic, tracePayment } from './token-logs.ts';
import { addressWord, bytes32Word } from './word.ts';

/** A payment whose spender is searched. Nothing spent its nonce before the gateway knew the payment. */
export type SpentPayment = ExpectedPayment & { readonly createdAt: UnixSeconds };

/** The clock of the gateway may be ahead of the chain by this much. */
const clockSlackSeconds = 60;

/**
 * Finds the transaction that spent a payment's nonce. Its sender may be a third party that copied the
 * authorization from the pool. Returns null while the nonce is not spent. Returns `unseen` where it is spent
 * and no log names the transaction, neither in the newest blocks nor in those after the payment's creation: a node may
 * limit its queries to fewer blocks, or have fewer logs than blocks. A node may show logs and no receipt; then the
 * logs of the block decide (D-207).
 */
export async function findSpender(
  rpc: Rpc,
  token: PaymentToken,
  payment: SpentPayment,
  logBlocksMax: number,
): Promise<Result<Mined | 'unseen' | null, RpcFault>> {
  const spent = await token.authorizationState(payment.from, payment.nonce);
  if (!spent.ok) return spent;
  if (!spent.value) return ok(null);
  const head = await readHead(rpc);
  if (!head.ok) return head;
  const { block } = head.value;
  const blocks = { oldest: Math.max(0, block - logBlocksMax), newest: block };
  const found = await search(rpc, payment, blocks, 'newest first');
  if (!found.ok || found.value !== 'unseen') return found;
  // After a long outage, the transaction is far below the newest blocks (D-406).
  const since = unixSeconds(Math.max(0, payment.createdAt - clockSlackSeconds));
  const first = await findBlockAt(rpc, since, head.value);
  if (!first.ok) return found;
  const early = { oldest: first.value, newest: Math.min(block, first.value + logBlocksMax) };
  return search(rpc, payment, early, 'oldest first');
}

/** Searches the logs of some blocks, in several queries of a size that the node allows. */
async function search(
  rpc: Rpc,
  payment: ExpectedPayment,
  { oldest, newest }: { readonly oldest: number; readonly newest: number },
  order: 'newest first' | 'oldest first',
): Promise<Result<Mined | 'unseen', RpcFault>> {
  let blocks = blocksPerQuery;
  let left = newest - oldest + 1;
  for (let queries = 0; left > 0 && queries < queriesMax; queries += 1) {
    const count = Math.min(blocks, left);
    const fromBlock = order === 'newest first' ? oldest + left - count : newest - left + 1;
    const named = await spenderWithin(rpc, payment, fromBlock, fromBlock + count - 1);
    if (!named.ok) {
      if (named.fault.kind !== 'refused') return named;
      if (blocks === 1) return ok('unseen');
      blocks = Math.ceil(blocks / 4);
      continue;
    }
    left -= count;
    if (named.value === null) continue;
    const mined = await readIncluded(rpc, named.value.txHash);
    if (!mined.ok) return mined;
    if (mined.value !== null && tracePayment(mined.value.logs, payment) !== 'absent') return ok(mined.value);
    // The receipt is missing, or lacks the log that names it.
    const byLogs = await readByLogs(rpc, payment.asset, named.value);
    // The nonce is spent, so a node without the block has not caught up with its own logs.
    return byLogs.ok ? ok(byLogs.value ?? mined.value ?? 'unseen') : byLogs;
  }
  return ok('unseen');
}

/**
 * Returns whether a node hides the logs of a block: by its state, the block spent the payment's nonce, and no log
 * of the block names the transaction (D-207). Returns false where the node keeps no state of the block or refuses the
 * query, because a missing log proves nothing then.
 */
export async function hidesLogs(rpc: Rpc, payment: ExpectedPayment, block: number): Promise<boolean> {
  const { asset, from, nonce } = payment;
  const token = createPaymentToken({ rpc, asset });
  const [before, after, isNamed] = await Promise.all([
    token.authorizationState(from, nonce, Math.max(0, block - 1)),
    token.authorizationState(from, nonce, block),
    namesSpender(rpc, payment, block),
  ]);
  return before.ok && !before.value && after.ok && after.value && isNamed.ok && !isNamed.value;
}

/** Returns whether a log of a block names the transaction that spent a payment's nonce. */
export async function namesSpender(
  rpc: Rpc,
  payment: ExpectedPayment,
  block: number,
): Promise<Result<boolean, RpcFault>> {
  const named = await spenderWithin(rpc, payment, block, block);
  return named.ok ? ok(named.value !== null) : named;
}

/** Most queries of one search. With 10 blocks a query, they cover about 250 blocks. */
const queriesMax = 32;

async function spenderWithin(
  rpc: Rpc,
  { asset, from, nonce }: ExpectedPayment,
  fromBlock: number,
  toBlock: number,
): Promise<Result<Named | null, RpcFault>> {
  const events = [topic.authorizationUsed, topic.authorizationCanceled];
  const topics = [events, `0x${addressWord(from)}`, `0x${bytes32Word(nonce)}`];
  const logs = await readLogs(rpc, asset, fromBlock, toBlock, topics);
  if (!logs.ok) return logs;
  const [first] = logs.value;
  const txHash = parseHash(first?.transactionHash);
  return ok(first === undefined || txHash === null ? null : { txHash, ...readPosition(first) });
}

/** The transaction that a log names, and its block where the log names that too. */
type Named = { readonly txHash: Bytes32; readonly block: number | null; readonly blockHash: Bytes32 | null };

type NodeLog = ReceiptLog & {
  readonly transactionHash?: unknown;
  readonly blockNumber?: unknown;
  readonly blockHash?: unknown;
};

function readPosition(log: NodeLog): Pick<Named, 'block' | 'blockHash'> {
  return { block: parseCount(log.blockNumber), blockHash: parseHash(log.blockHash) };
}

function parseHash(value: unknown): Bytes32 | null {
  return typeof value === 'string' ? parseBytes32(value) : null;
}

async function readLogs(
  rpc: Rpc,
  address: Address,
  fromBlock: number,
  toBlock: number,
  topics: readonly unknown[] = [],
): Promise<Result<readonly NodeLog[], RpcFault>> {
  const filter = { address, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok) return logs;
  const { value } = logs;
  return Array.isArray(value) && value.every(isLog) ? ok(value) : garbage('no list of logs');
}

/**
 * Reads a transaction's effects on a token without its receipt: from all logs of the token in its block. Null
 * where the chain has another block, or the block does not list the transaction.
 */
async function readByLogs(
  rpc: Rpc,
  asset: Address,
  { txHash, block, blockHash }: Named,
): Promise<Result<Mined | null, RpcFault>> {
  if (block === null || blockHash === null) return ok(null);
  const place = await findPlace(rpc, { txHash, block, blockHash });
  if (!place.ok) return place;
  if (place.value === null) return ok(null);
  const all = await readLogs(rpc, asset, block, block);
  if (!all.ok) return all;
  const logs = all.value.filter(
    (log) => parseHash(log.transactionHash) === txHash && parseHash(log.blockHash) === blockHash,
  );
  const sender = await readSender(rpc, txHash, blockHash, place.value);
  // A transaction that the chain undid has no logs.
  return ok({ txHash, block, blockHash, logs, isReverted: false, sender, gas: null });
}

/** Reads the sender from the block, because a node without receipts may lack its index of transactions. */
async function readSender(
  rpc: Rpc,
  txHash: Bytes32,
  blockHash: Bytes32,
  place: number,
): Promise<Address | null> {
  const read = await rpc.call<{ hash?: unknown; from?: unknown } | null>(
    'eth_getTransactionByBlockHashAndIndex',
    [blockHash, quantity(place)],
  );
  if (!read.ok || read.value === null || parseHash(read.value.hash) !== txHash) return null;
  return typeof read.value.from === 'string' ? parseAddress(read.value.from) : null;
}
