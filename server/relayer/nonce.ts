import { Transaction } from 'ethers';
import { isKnownTransaction } from '../chain/answer-worth.ts';
import { type Mined, readIncluded, readMinedNonce } from '../chain/chain-view.ts';
import { pinEndpoint, type Rpc, type RpcFault } from '../chain/rpc.ts';
import type { TransactionCall } from '../chain/transaction.ts';
import { signTransaction } from '../chain/transaction.ts';

import type { JournaledTransaction } from '../store/store.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Bytes32, type Hex, parseAddress } from '../types/units.ts';
import { bumpedFees, currentFees, type FeeLimits, type Fees } from './fees.ts';

/** The key that signs transactions, with its account. */
export type Relayer = { readonly address: Address; readonly key: Bytes32; readonly chainId: number };

/** Signs a call for one nonce. Nothing is sent: it must be on disk first. */
export function signCall(
  { address, key, chainId }: Relayer,
  relayerNonce: number,
  { to, data, gasLimit }: TransactionCall,
  fees: Fees,
): JournaledTransaction {
  const signed = signTransaction(key, { chainId, nonce: relayerNonce, to, data, gasLimit, ...fees });
  return { ...signed, relayer: address, relayerNonce };
}

/**
 * The same nonce at a fee that nodes take as a replacement, with the same call or with another one. Null where the limit leaves no
 * room.
 */
export async function replace(
  relayer: Relayer,
  last: JournaledTransaction,
  rpc: Rpc,
  limits: FeeLimits,
  call: TransactionCall | null = null,
): Promise<JournaledTransaction | null> {
  const { to, data, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(last.raw);
  const target = to === null ? null : parseAddress(to);
  const current = await currentFees(rpc, limits);
  if (!current.ok || maxFeePerGas === null || maxPriorityFeePerGas === null) return null;
  const fees = bumpedFees({ maxFeePerGas, maxPriorityFeePerGas }, current.value, limits);
  if (fees === null) return null;
  const next = call ?? { to: target, data: data as Hex, gasLimit };
  return signCall(relayer, last.relayerNonce, next, fees);
}

/** Sends a journaled transaction, or sends it again. A node that has it already is content. */
export async function broadcast(rpc: Rpc, { raw }: JournaledTransaction): Promise<Result<null, RpcFault>> {
  const sent = await rpc.call<unknown>('eth_sendRawTransaction', [raw]);
  if (sent.ok || isKnownTransaction(sent.fault)) return ok(null);
  return fail(sent.fault);
}

/** Which of a nonce's transactions is in a block, if one is. */
export async function findMined(
  rpc: Rpc,
  transactions: readonly Pick<JournaledTransaction, 'hash'>[],
): Promise<Result<Mined | null, RpcFault>> {
  for (const { hash } of transactions) {
    const mined = await readIncluded(rpc, hash);
    if (!mined.ok || mined.value !== null) return mined;
  }
  return ok(null);
}

/**
 * The relayer's lowest free nonce. A count that the journal does not lead to expect is believed only when the chain says
 * it twice, through two endpoints where there are two: one from a replica that lags would be used again, and one from
 * nowhere would leave a gap, which takes time to be seen.
 */
export async function readFreeNonce(
  rpc: Rpc,
  relayer: Address,
  expected: number,
  askAgain: () => Promise<void>,
): Promise<Result<number, RpcFault>> {
  const first = await readMinedNonce(rpc, relayer);
  if (!first.ok || first.value === expected) return first;
  await askAgain();
  const second = await readMinedNonce(pinEndpoint(rpc, 1), relayer);
  if (!second.ok || second.value === expected || second.value === first.value) return second;
  return fail({ kind: 'unavailable', message: 'the node gives one transaction count and then another' });
}

/**
 * Whether the chain waits for a nonce below this one, and so would never take it: of a relayer's open nonces the lowest is
 * asked about, so no process is about to send the missing one.
 */
export async function hasGap(rpc: Rpc, relayer: Address, relayerNonce: number): Promise<boolean> {
  const count = await readMinedNonce(rpc, relayer);
  return count.ok && count.value < relayerNonce;
}

/** Whether a nonce is used up by a transaction that is none of ours: the count is past it, and no receipt is there. */
export async function isNonceLost(rpc: Rpc, transactions: readonly JournaledTransaction[]): Promise<boolean> {
  const [first] = transactions;
  if (first === undefined) return true;
  const count = await readMinedNonce(rpc, first.relayer);
  if (!count.ok || count.value <= first.relayerNonce) return false;
  // Asked after the count: one that was mined in between has its receipt by now.
  const mined = await findMined(rpc, transactions);
  return mined.ok && mined.value === null;
}
