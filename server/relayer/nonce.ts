import { isKnownTransaction } from '../chain/assess-response.ts';
import { type Mined, readIncluded, readMinedNonce } from '../chain/chain-view.ts';
import { pinEndpoint, type Rpc, type RpcFault } from '../chain/rpc.ts';
import { readTransaction, signTransaction, type TransactionCall } from '../chain/transaction.ts';
import type { JournaledTransaction } from '../store/store.ts';
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { bumpedFees, currentFees, type FeeLimits, type Fees } from './fees.ts';

/** The account that signs transactions, with its key. */
export type Relayer = { readonly address: Address; readonly key: Bytes32; readonly chainId: number };

/** Signs a call for one nonce. Sends nothing, because the transaction must be on disk first. */
export function signCall(
  { address, key, chainId }: Relayer,
  relayerNonce: number,
  { to, data, gasLimit }: TransactionCall,
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
): JournaledTransaction {
  const fees = { gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  const signed = signTransaction(key, { chainId, nonce: relayerNonce, to, data, ...fees });
  return { ...signed, relayer: address, relayerNonce };
}

/**
 * Signs the same nonce at a fee that nodes accept for a replacement, with the same call or another. Returns
 * null where the fee limit is too low.
 */
export async function replace(
  relayer: Relayer,
  last: JournaledTransaction,
  rpc: Rpc,
  limits: FeeLimits,
  call: TransactionCall | null = null,
): Promise<JournaledTransaction | null> {
  const sent = readTransaction(last.raw);
  const current = await currentFees(rpc, limits);
  const fees = current.ok ? bumpedFees(sent, current.value, limits) : null;
  return fees && signCall(relayer, last.relayerNonce, call ?? sent, fees);
}

/** Sends a journaled transaction, also again. A node that has it already counts as a success. */
export async function broadcast(rpc: Rpc, { raw }: JournaledTransaction): Promise<Result<null, RpcFault>> {
  const sent = await rpc.call<unknown>('eth_sendRawTransaction', [raw]);
  if (sent.ok || isKnownTransaction(sent.fault)) return ok(null);
  return fail(sent.fault);
}

/** Finds the transaction of a nonce that is in a block; null if none is. */
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
 * Reads the relayer's lowest free nonce. An unexpected count must be read twice, through two endpoints if there
 * are several. A count from a replica that lags would reuse a nonce, and a wrong high count would leave a gap,
 * which takes time to detect.
 */
export async function readFreeNonce(
  rpc: Rpc,
  relayer: Address,
  expectedNonce: number | Promise<number>,
  askAgain: () => Promise<void>,
): Promise<Result<number, RpcFault>> {
  const [first, expected] = await Promise.all([readMinedNonce(rpc, relayer), expectedNonce]);
  if (!first.ok || first.value === expected) return first;
  await askAgain();
  const second = await readMinedNonce(pinEndpoint(rpc, 1), relayer);
  if (!second.ok || second.value === expected || second.value === first.value) return second;
  return fail({ kind: 'unavailable', message: 'the node returned two different transaction counts' });
}

/**
 * Returns whether the chain waits for a nonce below this one, and so cannot include it. The caller passes the
 * lowest open nonce of the relayer, so no process is about to send the missing one.
 */
export async function hasGap(rpc: Rpc, relayer: Address, relayerNonce: number): Promise<boolean> {
  const count = await readMinedNonce(rpc, relayer);
  return count.ok && count.value < relayerNonce;
}

/** `used`: the nonce is used, and the node shows no receipt of ours. `open`: the chain still waits for it. */
export type NonceState =
  | { readonly kind: 'mined'; readonly mined: Mined }
  | { readonly kind: 'used' }
  | { readonly kind: 'open' };

/**
 * Reads the state of a nonce whose transactions had no receipt a moment ago. After `used`, a foreign transaction
 * has the nonce, or the node shows its receipts late or never. So the caller reads again, and then asks the chain
 * about each effect of ours (D-207).
 */
export async function readNonceState(
  rpc: Rpc,
  transactions: readonly JournaledTransaction[],
): Promise<NonceState> {
  const [first] = transactions;
  if (first === undefined) return { kind: 'used' };
  const count = await readMinedNonce(rpc, first.relayer);
  if (!count.ok || count.value <= first.relayerNonce) return { kind: 'open' };
  // Read after the count: a transaction mined in between has its receipt by now.
  const mined = await findMined(rpc, transactions);
  if (!mined.ok) return { kind: 'open' };
  return mined.value === null ? { kind: 'used' } : { kind: 'mined', mined: mined.value };
}
