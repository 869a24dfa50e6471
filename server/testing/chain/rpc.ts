import { createHttpRpc, type HttpRpc } from '../../chain/http-rpc.ts';
import { openManyRpc } from '../../chain/many-rpc.ts';
import { type Anvil, startAnvil } from '../../devnet/anvil.ts';
import { ask } from '../../devnet/deployer.ts';
import { systemClock } from '../../types/clock.ts';
import type { Result } from '../../types/result.ts';
import { startUnreliableNode, type UnreliableNode } from '../settlement/unreliable-node.ts';

export const chainId = 84_532;
/** A part of every endpoint's URL that no message may contain. */
export const secret = 'account-of-the-operator';
export const holder = `0x${'11'.repeat(20)}`;
const limits = { lagBlocksMax: 5, probeMs: 50, probeTimeoutMs: 2_000, pauseMs: 20, pauseMsMax: 80 };

/** Several endpoints of one real chain whose conduct a test can set, and an adapter over some of them. */
export type RpcBench = {
  readonly nodes: readonly [UnreliableNode, UnreliableNode, UnreliableNode];
  /** The log records, each as JSON. */
  readonly logged: readonly string[];
  findLogs(words: string): readonly string[];
  open(count?: 1 | 2 | 3): Promise<Result<HttpRpc, readonly string[]>>;
  opened(count?: 1 | 2 | 3, timeoutMs?: number): Promise<HttpRpc>;
  close(): Promise<void>;
};

/** A chain of a few blocks that keeps its history. */
export async function startChain(): Promise<Anvil> {
  const anvil = await startAnvil({ chainId, history: 'kept' });
  const rpc = createHttpRpc({ url: anvil.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_000_000 });
  await ask(rpc, 'anvil_mine', ['0x20']);
  await rpc.close();
  return anvil;
}

export async function startRpcBench({ rpcUrl }: Anvil): Promise<RpcBench> {
  const start = () => startUnreliableNode(rpcUrl);
  const nodes = [await start(), await start(), await start()] as const;
  const logged: string[] = [];
  const closing: (() => Promise<void>)[] = [];
  const record = (...words: unknown[]) => void logged.push(JSON.stringify(words));
  const open = (count = 2, timeoutMs = 2_000) =>
    openManyRpc({
      rpcs: nodes
        .slice(0, count)
        .map(({ url }) => createHttpRpc({ url: `${url}/${secret}`, timeoutMs, responseBytesMax: 1_000_000 })),
      chainId,
      clock: systemClock,
      log: { info: record, warn: record, error: record },
      timeoutMs,
      limits,
    });
  return {
    nodes,
    logged,
    findLogs: (words) => logged.filter((line) => line.includes(words)),
    open,
    async opened(count, timeoutMs) {
      const rpc = await open(count, timeoutMs);
      if (!rpc.ok) throw new Error(rpc.fault.join('\n'));
      closing.push(rpc.value.close);
      return rpc.value;
    },
    async close() {
      // A closed node ends its hanging calls, which the close of an adapter awaits.
      for (const close of [...nodes.map((node) => node.close), ...closing]) await close();
    },
  };
}

/** Makes a call that no probe makes. */
export function read(rpc: HttpRpc) {
  return rpc.call<string>('eth_getBalance', [holder, 'latest']);
}
export const zero = { ok: true, value: '0x0' } as const;

export function countReads(node: UnreliableNode): number {
  return node.calls.filter((method) => method === 'eth_getBalance').length;
}

export function withResult(response: string, result: unknown): string {
  return JSON.stringify({ ...JSON.parse(response), result });
}

export function withError(response: string, code: number, message: string): string {
  const { jsonrpc, id } = JSON.parse(response);
  return JSON.stringify({ jsonrpc, id, error: { code, message } });
}
