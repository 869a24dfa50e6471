import { readChainTime } from '../chain/chain-view.ts';
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
  /** Called before an unexpected nonce is read again. */
  readonly askAgain: () => Promise<void>;
};

/** The chain state that a transaction needs. */
export type WorkerStart = {
  readonly nonce: number;
  readonly seconds: bigint;
  readonly price: Fees;
  readonly wei: bigint;
};

/** Reads the chain state in parallel calls. */
export async function readWorkerStart(ports: WorkerStartPorts): Promise<Result<WorkerStart, RpcFault>> {
  const { rpc, store, relayer, fees, gasBalance, askAgain } = ports;
  const expected = await store.nextRelayerNonce(relayer);
  const [nonce, seconds, price, wei] = await Promise.all([
    readFreeNonce(rpc, relayer, expected, askAgain),
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
