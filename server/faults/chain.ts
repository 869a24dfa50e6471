import { chainId } from '@paid-inference/contract/constants';
import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import { topic } from '../chain/token-logs.ts';
import { ask } from '../devnet/deployer.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import { guardedTokenCode } from '../testing/chain/guarded-token.ts';
import type { Address } from '../types/units.ts';

/** An authorization that the token accepted, and its transfer. */
export type Transfer = {
  readonly txHash: string;
  readonly payer: string;
  readonly nonce: string;
  readonly to: string;
  readonly value: bigint;
};

/** Direct access to the chain, without the faulty node. */
export type Chain = {
  readonly devnet: Devnet;
  readonly rpc: Rpc;
  ask<T>(method: string, ...parameters: readonly unknown[]): Promise<T>;
  balanceOf(holder: Address): Promise<bigint>;
  /** All used authorizations, in order. */
  transfers(): Promise<readonly Transfer[]>;
  /** All units that the recipient got, by the logs of the token. */
  received(): Promise<bigint>;
  close(): Promise<void>;
};

type Log = { readonly topics: readonly string[]; readonly data: string; readonly transactionHash: string };

/** By default, each transaction is mined at once, and the token is the plain one. */
export type ChainOptions = {
  readonly blockTimeSeconds?: number;
  /**
   * Keeps the history of a chain with a block time. Otherwise anvil may lack the state of `latest` while it
   * mines.
   */
  readonly history?: 'kept';
  /** A token like FiatToken v2.2: it calls the payer's code, has a blocklist, and can be paused. */
  readonly token?: 'guarded';
};

export async function startChain({ token: kind, ...options }: ChainOptions = {}): Promise<Chain> {
  const devnet = await startDevnet({
    chainId,
    ...options,
    ...(kind === 'guarded' && { tokenCode: guardedTokenCode }),
  });
  const rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 10_000, responseBytesMax: 64 * 1_048_576 });
  const token = createPaymentToken({ rpc, asset: devnet.token.address });
  const call = <T>(method: string, ...parameters: readonly unknown[]) => ask<T>(rpc, method, parameters);
  const logs = () =>
    call<readonly Log[]>('eth_getLogs', {
      address: devnet.token.address,
      fromBlock: '0x0',
      toBlock: 'latest',
    });
  return {
    devnet,
    rpc,
    ask: call,
    async balanceOf(holder) {
      const balance = await token.balanceOf(holder);
      if (!balance.ok) throw new Error(balance.fault.message);
      return balance.value;
    },
    async transfers() {
      const all = await logs();
      return all.flatMap((log, place) => {
        if (log.topics[0] !== topic.authorizationUsed) return [];
        // The token emits the transfer next, in the same transaction (EIP-3009).
        const moved = all[place + 1];
        const isPair = moved?.topics[0] === topic.transfer && moved.transactionHash === log.transactionHash;
        return [
          {
            txHash: log.transactionHash,
            payer: readAddress(log.topics[1]),
            nonce: String(log.topics[2]),
            to: isPair ? readAddress(moved.topics[2]) : 'none',
            value: isPair ? BigInt(moved.data) : 0n,
          },
        ];
      });
    },
    async received() {
      const mine = (await logs()).filter(
        ({ topics }) => topics[0] === topic.transfer && readAddress(topics[2]) === devnet.payTo,
      );
      return mine.reduce((sum, { data }) => sum + BigInt(data), 0n);
    },
    async close() {
      await rpc.close();
      await devnet.stop();
    },
  };
}

function readAddress(word = ''): string {
  return `0x${word.slice(-40)}`;
}
