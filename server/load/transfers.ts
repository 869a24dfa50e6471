import { setTimeout as after } from 'node:timers/promises';
import { openRpc } from '../bench/targets/mining.ts';
import { topic } from '../chain/token-logs.ts';
import { ask } from '../devnet/deployer.ts';
import type { Devnet } from '../devnet/devnet.ts';

/** The transfers of a chain from its start. The chain may forget its old blocks meanwhile. */
export type Transfers = AsyncDisposable & {
  /** Reads up to the newest block, and returns the nonces that the token accepted, in order. */
  readNonces(): Promise<readonly string[]>;
};

/** How many blocks one call reads, so that its logs stay below the limit of a response. */
const blocksPerCall = 4;
const readEveryMs = 1_000;

/** Follows the token's logs of accepted authorizations. `readNonces` throws if the chain cannot be read. */
export function followTransfers({ rpcUrl, token }: Devnet): Transfers {
  const rpc = openRpc(rpcUrl);
  const closing = new AbortController();
  const nonces: string[] = [];
  let next = 0;
  let reading: Promise<void> = Promise.resolve();
  const read = () => {
    // Reads again what an earlier reading could not.
    reading = reading.catch(() => undefined).then(readNew);
    return reading;
  };
  const following = follow();

  return {
    async readNonces() {
      await read();
      return nonces;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await following;
      await rpc[Symbol.asyncDispose]();
    },
  };

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      await read().catch(() => undefined);
      await after(readEveryMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  async function readNew(): Promise<void> {
    const newest = Number(await ask<string>(rpc, 'eth_blockNumber', []));
    while (next <= newest) {
      const to = Math.min(newest, next + blocksPerCall - 1);
      const logs = await ask<readonly { readonly topics: readonly string[] }[]>(rpc, 'eth_getLogs', [
        {
          address: token.address,
          fromBlock: toQuantity(next),
          toBlock: toQuantity(to),
          topics: [topic.authorizationUsed],
        },
      ]);
      for (const { topics } of logs) nonces.push(String(topics[2]));
      next = to + 1;
    }
  }
}

function toQuantity(count: number): string {
  return `0x${count.toString(16)}`;
}
