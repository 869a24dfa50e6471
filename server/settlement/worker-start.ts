import { readChainTime, readMinedNonce } from '../chain/chain-view.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { currentFees, type FeeLimits, type Fees } from '../relayer/fees.ts';
import type { GasBalance } from '../relayer/gas-balance.ts';
import { readFreeNonce } from '../relayer/nonce.ts';
import type { Store } from '../store/store.ts';
import { ok, type Result } from '../types/result.ts';
import type { Address } from '../types/units.ts';

export type WorkerStartPorts = {
  readonly rpc: Rpc;
  readonly store: Store;
  readonly relayer: Address;
  readonly fees: FeeLimits;
  readonly gasBalance: GasBalance;
  /** The open nonces. */
  readonly open: readonly number[];
  /** Called before an unexpected nonce is read again. */
  readonly askAgain: () => Promise<void>;
};

/** The chain state that a transaction needs. */
export type WorkerStart = {
  /** The next nonce; null while the chain's count contradicts the open nonces. */
  readonly nonce: number | null;
  readonly seconds: bigint;
  readonly price: Fees;
  readonly wei: bigint;
};

/** Reads the chain state in parallel calls. */
export async function readWorkerStart(ports: WorkerStartPorts): Promise<Result<WorkerStart, RpcFault>> {
  const { rpc, fees, gasBalance } = ports;
  const [nonce, seconds, price, wei] = await Promise.all([
    readNonce(ports),
    readChainTime(rpc),
    currentFees(rpc, fees),
    gasBalance.read(),
  ]);
  if (!nonce.ok) return nonce;
  if (!seconds.ok) return seconds;
  if (!price.ok) return price;
  return wei.ok
    ? ok({ nonce: nonce.value, seconds: seconds.value, price: price.value, wei: wei.value })
    : wei;
}

/**
 * Reads the next nonce. Beside open nonces it comes from the journal. Then each nonce from the chain's count to the
 * next one must be open, because the chain would wait for a missing one.
 */
async function readNonce(ports: WorkerStartPorts): Promise<Result<number | null, RpcFault>> {
  const { rpc, store, relayer, open, askAgain } = ports;
  const next = store.nextRelayerNonce(relayer);
  if (open.length === 0) return readFreeNonce(rpc, relayer, next, askAgain);
  const [expected, count] = await Promise.all([next, readMinedNonce(rpc, relayer)]);
  if (!count.ok) return count;
  const before = open.filter((nonce) => count.value <= nonce && nonce < expected);
  return ok(before.length === expected - count.value ? expected : null);
}
