import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { PaymentToken } from '../chain/token.ts';
import { type ExpectedPayment, type ReceiptLog, topic } from '../chain/token-logs.ts';
import { addressWord, bytes32Word } from '../chain/word.ts';
import type { Inclusion } from '../store/store.ts';
import { fail, ok, type Result } from '../vocabulary/result.ts';
import { type Address, type Bytes32, parseBytes32 } from '../vocabulary/units.ts';

/** A transaction in a block, and what it did. Its status is not here: only the logs say whether somebody was paid. */
export type Mined = Inclusion & { readonly logs: readonly ReceiptLog[] };

type Receipt = { readonly blockNumber?: unknown; readonly blockHash?: unknown; readonly logs?: unknown };

/** Reads a transaction's receipt; null while it is not mined. */
export async function readMined(rpc: Rpc, txHash: Bytes32): Promise<Result<Mined | null, RpcFault>> {
  const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [txHash]);
  if (!receipt.ok) return receipt;
  if (receipt.value === null) return ok(null);
  const { blockNumber, blockHash, logs } = receipt.value;
  const block = parseQuantity(blockNumber);
  const hash = typeof blockHash === 'string' ? parseBytes32(blockHash) : null;
  if (block === null || hash === null || !Array.isArray(logs))
    return garbage('a receipt without block or logs');
  return ok({ txHash, block: Number(block), blockHash: hash, logs: logs as readonly ReceiptLog[] });
}

/**
 * Finds the transaction that spent a payment's nonce, whoever sent it: a third party may copy an authorization from the
 * pool and send it first, and then we were paid all the same. Null while the nonce is not spent.
 */
export async function findSpender(
  rpc: Rpc,
  token: PaymentToken,
  payment: ExpectedPayment,
  lookBackBlocks: number,
): Promise<Result<Mined | null, RpcFault>> {
  const spent = await token.authorizationState(payment.from, payment.nonce);
  if (!spent.ok) return spent;
  if (!spent.value) return ok(null);
  const head = await readHead(rpc);
  if (!head.ok) return head;
  const fromBlock = Math.max(0, head.value.block - lookBackBlocks);
  const logs = await rpc.call<unknown>('eth_getLogs', [
    {
      address: payment.asset,
      fromBlock: `0x${fromBlock.toString(16)}`,
      toBlock: 'latest',
      topics: [
        [topic.authorizationUsed, topic.authorizationCanceled],
        `0x${addressWord(payment.from)}`,
        `0x${bytes32Word(payment.nonce)}`,
      ],
    },
  ]);
  if (!logs.ok) return logs;
  const first: unknown = Array.isArray(logs.value) ? logs.value[0] : undefined;
  const named = (first as { transactionHash?: unknown } | undefined)?.transactionHash;
  const txHash = typeof named === 'string' ? parseBytes32(named) : null;
  return txHash === null ? garbage('a spent nonce without a log') : readMined(rpc, txHash);
}

export type Head = { readonly block: number; readonly seconds: bigint };

/** Number and time of a block, by default the newest: what the token compares a window with. */
export async function readHead(
  rpc: Rpc,
  tag: 'latest' | 'finalized' = 'latest',
): Promise<Result<Head, RpcFault>> {
  const block = await rpc.call<{ number?: unknown; timestamp?: unknown } | null>('eth_getBlockByNumber', [
    tag,
    false,
  ]);
  if (!block.ok) return block;
  const number = parseQuantity(block.value?.number);
  const seconds = parseQuantity(block.value?.timestamp);
  return number === null || seconds === null
    ? garbage('a block without number or time')
    : ok({ block: Number(number), seconds });
}

/** How many transactions of a relayer are in blocks: its lowest nonce that is still open. */
export async function readMinedNonce(rpc: Rpc, relayer: Address): Promise<Result<number, RpcFault>> {
  const count = await rpc.call<unknown>('eth_getTransactionCount', [relayer, 'latest']);
  if (!count.ok) return count;
  const parsed = parseQuantity(count.value);
  return parsed === null ? garbage('no transaction count') : ok(Number(parsed));
}

/** A number as JSON-RPC writes it. */
export function parseQuantity(value: unknown): bigint | null {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : null;
}

function garbage(what: string): Result<never, RpcFault> {
  return fail({ kind: 'unavailable', message: `the node gives ${what}` });
}
