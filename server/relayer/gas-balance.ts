import { parseQuantity } from '../chain/chain-view.ts';
import { type HeadTimeLimits, headTimeIssue } from '../chain/head-time.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import { paymentsWithin } from '../chain/transfer-batch.ts';
import type { Log } from '../observe/log.ts';
import type { SettlementObserver } from '../observe/observers.ts';
import type { Clock } from '../types/clock.ts';
import { fail, ok, type Result } from '../types/result.ts';
import { type CurrentFees, currentFees, type FeeLimits, type Fees, mayBeIncluded } from './fees.ts';
import type { Relayer } from './nonce.ts';

export type GasBalancePorts = {
  readonly rpc: Rpc;
  readonly relayer: Pick<Relayer, 'address' | 'chainId'>;
  readonly fees: FeeLimits;
  readonly headTime: HeadTimeLimits;
  readonly clock: Clock;
  readonly log: Log;
  readonly observer?: Pick<SettlementObserver, 'gasBalance'> | null;
};

/** The ether of a relayer. A relayer without ether leaves payments to the other relayers (D-60). */
export interface GasBalance {
  /**
   * Returns whether the gas balance covers one payment. Reads the chain before the first payment and while the
   * balance is empty. A chain that does not respond changes nothing.
   */
  hasGas(): Promise<boolean>;
  /** Reads the balance, in wei. */
  read(): Promise<Result<bigint, RpcFault>>;
  /**
   * Returns how many payments one transaction may carry for `wei` at that price; 0 for an empty gas balance.
   */
  room(wei: bigint, price: Fees): number;
  /**
   * Notes that nodes accepted a transaction, or refused one of a single payment for lack of ether. A node may demand
   * more ether than the gas costs, so then the balance covers no payment.
   */
  noteSent(isRefused: boolean): void;
  /** Reads the chain, and returns the reason why no payment can be settled now, for the operator; else null. */
  healthIssue(): Promise<string | null>;
}

/** How long a refusal is a health issue. Later a new payment may try, because fees fall. */
const refusalMs = 60_000;

export function createGasBalance({ rpc, fees, headTime, clock, log, ...ports }: GasBalancePorts): GasBalance {
  const { address: relayer, chainId } = ports.relayer;
  let state: 'unknown' | 'filled' | 'empty' = 'unknown';
  let lastWei = 0n;
  /** The balance at the last refusal, and when the refusal is forgotten. */
  let refused = { wei: lastWei, untilMs: 0 };
  return {
    read,
    room,
    noteSent(isRefused) {
      refused = { wei: lastWei, untilMs: isRefused ? clock.monotonicMs() + refusalMs : 0 };
    },
    async hasGas() {
      if (state !== 'filled') await probe();
      return state !== 'empty';
    },
    async healthIssue() {
      const [probed, foreign] = await Promise.all([probe(), foreignChain()]);
      if (!probed.ok) return `the chain does not answer: ${probed.fault.message}`;
      if (foreign !== null) return foreign;
      const { isEmpty, price } = probed.value;
      const late = price.seconds === null ? null : headTimeIssue(price.seconds, clock, headTime);
      if (late !== null) return late;
      if (!mayBeIncluded(price, fees)) return tooDear(price);
      return isEmpty ? `the relayer ${relayer} has too little ether for gas` : null;
    },
  };

  async function probe(): Promise<
    Result<{ readonly isEmpty: boolean; readonly price: CurrentFees }, RpcFault>
  > {
    const [wei, price] = await Promise.all([read(), currentFees(rpc, fees)]);
    if (!wei.ok) return wei;
    if (!price.ok) return price;
    const weiPerGas = price.value.baseFee + price.value.maxPriorityFeePerGas;
    const isRefused = wei.value <= refused.wei && clock.monotonicMs() < refused.untilMs;
    const isEmpty = room(wei.value, price.value) === 0 || isRefused;
    ports.observer?.gasBalance({ relayer, wei: wei.value, weiPerGas, isEmpty });
    return ok({ isEmpty, price: price.value });
  }

  /** A proxy in front of the nodes may lead to another chain than at the start. */
  async function foreignChain(): Promise<string | null> {
    const served = await rpc.call<unknown>('eth_chainId', []);
    const id = served.ok ? parseQuantity(served.value) : null;
    return id === null || id === BigInt(chainId)
      ? null
      : `the RPC endpoint serves chain ${id}, but chain ${chainId} is configured`;
  }

  function tooDear({ baseFee }: CurrentFees): string {
    const [asked, most] = [baseFee, fees.maxFeePerGasWeiMax].map((wei) => Number(wei) / 1e9);
    return `the base fee is ${asked} gwei, and may be an eighth more in the next block; feeGweiMax (FEE_GWEI_MAX) is ${most}: wait, or raise feeGweiMax`;
  }

  async function read(): Promise<Result<bigint, RpcFault>> {
    const balance = await rpc.call<unknown>('eth_getBalance', [relayer, 'latest']);
    if (!balance.ok) return balance;
    const wei = parseQuantity(balance.value);
    return wei === null ? fail({ kind: 'unavailable', message: 'the node returned no balance' }) : ok(wei);
  }

  function room(wei: bigint, price: Fees): number {
    lastWei = wei;
    const payments = paymentsWithin(wei, price.maxFeePerGas);
    if (payments === 0 && state !== 'empty')
      log.warn(
        { relayer },
        'A relayer has too little ether for gas. It settles no payments until you send it ether.',
      );
    if (payments > 0 && state === 'empty') log.info({ relayer }, 'A relayer has ether for gas again.');
    state = payments > 0 ? 'filled' : 'empty';
    return payments;
  }
}
