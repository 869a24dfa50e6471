import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import { ask } from '../../devnet/deployer.ts';

/** Opens the RPC of a devnet, for responses up to that with a full batch. */
export function openRpc(url: string): HttpRpc & AsyncDisposable {
  const rpc = createHttpRpc({ url, timeoutMs: 10_000, responseBytesMax: 4_194_304 });
  return { ...rpc, [Symbol.asyncDispose]: () => rpc.close() };
}

/**
 * Mines a block at these intervals; 0 mines each transaction at once. The end mines all that waits, and again each
 * transaction at once. `onBlock` gets the time that each block took.
 */
export async function startMining(
  rpc: HttpRpc,
  blockTimeMs: number,
  onBlock: (tookMs: number) => void = () => {},
): Promise<AsyncDisposable> {
  if (blockTimeMs === 0) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  await ask(rpc, 'evm_setAutomine', [false]);
  const mine = async () => {
    const startedAt = performance.now();
    await rpc.call('evm_mine', []);
    onBlock(performance.now() - startedAt);
  };
  const timer = setInterval(() => void mine(), blockTimeMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await ask(rpc, 'evm_setAutomine', [true]);
      await ask(rpc, 'evm_mine', []);
    },
  };
}
