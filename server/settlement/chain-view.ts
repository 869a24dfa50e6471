import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import {
  type ExpectedPayment,
  type PaymentTrace,
  type ReceiptLog,
  topic,
  tracePayment,
} from '../chain/token-logs.ts';
import { addressWord, bytes32Word } from '../chain/word.ts';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import { type Bytes32, parseBytes32 } from '../vocabulary/units.ts';

/** What a mined transaction did for a payment. */
export type Mined = { readonly trace: PaymentTrace; readonly txHash: Bytes32; readonly block: number };

type Receipt = {
  readonly blockNumber?: unknown;
  readonly logs?: unknown;
  readonly transactionHash?: unknown;
};

/** Reads a transaction's receipt; null while it is not mined. */
export async function readMined(
  rpc: Rpc,
  hash: Bytes32,
  payment: ExpectedPayment,
): Promise<Result<Mined | null, RpcFault>> {
  const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash]);
  if (!receipt.ok) return receipt;
  if (receipt.value === null) return ok(null);
  const { blockNumber, logs } = receipt.value;
  if (typeof blockNumber !== 'string' || !Array.isArray(logs)) {
    return fail({ kind: 'unavailable', message: 'the node gives a receipt without block or logs' });
  }
  const trace = tracePayment(logs as readonly ReceiptLog[], payment);
  return ok({ trace, txHash: hash, block: Number(blockNumber) });
}

/** Nodes bound how many blocks one query may span; the public ones of our network advise to stay at this. */
const blocksPerQuery = 2_000;
/** Half a day of blocks of two seconds: between signing and settling lie minutes, or as long as an outage took. */
const queriesMax = 10;

/**
 * Finds the transaction that spent a payment's nonce, whoever sent it: a third party may copy an authorization from the
 * pool and send it first, and then we were paid all the same. Null while the nonce is unspent.
 */
export async function findSpender(
  rpc: Rpc,
  token: PaymentToken,
  payment: ExpectedPayment,
): Promise<Result<Mined | null, RpcFault>> {
  const spent = await token.authorizationState(payment.from, payment.nonce);
  if (!spent.ok) return spent;
  if (!spent.value) return ok(null);
  const newest = await readQuantity(rpc, 'eth_blockNumber', []);
  if (!newest.ok) return newest;
  let toBlock = Number(newest.value);
  for (let query = 0; query < queriesMax && toBlock >= 0; query++) {
    const fromBlock = Math.max(0, toBlock - blocksPerQuery + 1);
    const hash = await spenderWithin(rpc, payment, fromBlock, toBlock);
    if (!hash.ok) return hash;
    if (hash.value !== null) return readMined(rpc, hash.value, payment);
    toBlock = fromBlock - 1;
  }
  return fail({ kind: 'unavailable', message: 'a spent nonce has no log among the newest blocks' });
}

async function spenderWithin(
  rpc: Rpc,
  { asset, from, nonce }: ExpectedPayment,
  fromBlock: number,
  toBlock: number,
): Promise<Result<Bytes32 | null, RpcFault>> {
  const events = [topic.authorizationUsed, topic.authorizationCanceled];
  const topics = [events, `0x${addressWord(from)}`, `0x${bytes32Word(nonce)}`];
  const filter = { address: asset, fromBlock: hexOf(fromBlock), toBlock: hexOf(toBlock), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok) return logs;
  if (!Array.isArray(logs.value))
    return fail({ kind: 'unavailable', message: 'the node gives no list of logs' });
  const first = logs.value[0] as { transactionHash?: unknown } | undefined;
  return ok(typeof first?.transactionHash === 'string' ? parseBytes32(first.transactionHash) : null);
}

function hexOf(block: number): string {
  return `0x${block.toString(16)}`;
}

/** Time of the newest block, in Unix seconds: what the token compares a window with. */
export async function chainSeconds(rpc: Rpc): Promise<Result<bigint, RpcFault>> {
  const block = await rpc.call<{ timestamp?: unknown } | null>('eth_getBlockByNumber', ['latest', false]);
  return block.ok ? quantityOf(block.value?.timestamp, 'time of a block') : block;
}

/** Calls a method whose result is one number. */
export async function readQuantity(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
): Promise<Result<bigint, RpcFault>> {
  const answer = await rpc.call<unknown>(method, params);
  return answer.ok ? quantityOf(answer.value, method) : answer;
}

function quantityOf(value: unknown, name: string): Result<bigint, RpcFault> {
  if (typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value)) return ok(BigInt(value));
  return fail({ kind: 'unavailable', message: `the node gives no number for ${name}` });
}
