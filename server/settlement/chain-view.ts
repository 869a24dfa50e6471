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

/**
 * Finds the transaction that spent a payment's nonce, whoever sent it: a third party may copy an authorization from the
 * pool and send it first, and then we were paid all the same.
 */
export async function findSpender(
  rpc: Rpc,
  token: PaymentToken,
  payment: ExpectedPayment,
  fromBlock: string,
): Promise<Result<Mined | null, RpcFault>> {
  const spent = await token.authorizationState(payment.from, payment.nonce);
  if (!spent.ok) return spent;
  if (!spent.value) return ok(null);
  const logs = await rpc.call<unknown>('eth_getLogs', [
    {
      address: payment.asset,
      fromBlock,
      toBlock: 'latest',
      topics: [
        [topic.authorizationUsed, topic.authorizationCanceled],
        `0x${addressWord(payment.from)}`,
        `0x${bytes32Word(payment.nonce)}`,
      ],
    },
  ]);
  if (!logs.ok) return logs;
  const first = Array.isArray(logs.value)
    ? (logs.value[0] as { transactionHash?: unknown } | undefined)
    : undefined;
  const hash = typeof first?.transactionHash === 'string' ? parseBytes32(first.transactionHash) : null;
  if (hash === null) return fail({ kind: 'unavailable', message: 'a spent nonce has no log yet' });
  return readMined(rpc, hash, payment);
}

/** Time of the newest block, in Unix seconds: what the token compares a window with. */
export async function chainSeconds(rpc: Rpc): Promise<Result<bigint, RpcFault>> {
  const block = await rpc.call<{ timestamp?: unknown } | null>('eth_getBlockByNumber', ['latest', false]);
  if (!block.ok) return block;
  const timestamp = block.value?.timestamp;
  if (typeof timestamp === 'string' && /^0x[0-9a-f]+$/i.test(timestamp)) return ok(BigInt(timestamp));
  return fail({ kind: 'unavailable', message: 'the node gives a block without a time' });
}
