import { fail, ok, type Result } from '../types/result.ts';
import { type Bytes32, parseBytes32 } from '../types/units.ts';
import { assessResponse } from './assess-response.ts';
import type { Rpc } from './rpc.ts';

/** The newest block of an endpoint. */
export type Newest = { readonly block: number; readonly hash: Bytes32 };

/** The chain that an endpoint serves. Several chains may have the same id, so the first block counts too. */
export type Identity = { readonly chainId: number; readonly genesis: Bytes32 | null };

/** A node with a higher block number is faulty. */
const blockMax = 2 ** 40;

/** Reads the newest block of an endpoint. The fault is a reason for the log. */
export async function readNewest(rpc: Rpc, timeoutMs: number): Promise<Result<Newest, string>> {
  const block = await readBlock(rpc, 'latest', timeoutMs);
  return block.ok ? (block.value === null ? fail('it returned no newest block') : ok(block.value)) : block;
}

/** Returns whether an endpoint has its newest block. A node with a wrong number lacks that block. */
export async function hasBlock(rpc: Rpc, { block, hash }: Newest, timeoutMs: number): Promise<boolean> {
  const shown = await readBlock(rpc, `0x${block.toString(16)}`, timeoutMs);
  return shown.ok && shown.value?.hash === hash;
}

/** Reads which chain an endpoint serves. For an endpoint without the first block, the chain id alone counts. */
export async function identify(rpc: Rpc, timeoutMs: number): Promise<Result<Identity, string>> {
  const [chainId, first] = await Promise.all([
    ask(rpc, 'eth_chainId', [], timeoutMs),
    readBlock(rpc, '0x0', timeoutMs),
  ]);
  if (!chainId.ok) return chainId;
  if (typeof chainId.value !== 'string') return fail('it returned no chain id');
  if (!first.ok) return first;
  return ok({ chainId: Number(chainId.value), genesis: first.value?.hash ?? null });
}

/** Reads a block; null where the endpoint cannot tell. */
async function readBlock(
  rpc: Rpc,
  number: string,
  timeoutMs: number,
): Promise<Result<Newest | null, string>> {
  const response = await ask(rpc, 'eth_getBlockByNumber', [number, false], timeoutMs);
  if (!response.ok || response.value === null) return response as Result<null, string>;
  const { number: newest, hash } = response.value as { readonly number: string; readonly hash: string };
  const parsed = parseBytes32(hash);
  const block = Number(newest);
  return parsed === null || block > blockMax
    ? fail('it returned an impossible block')
    : ok({ block, hash: parsed });
}

async function ask(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): Promise<Result<unknown, string>> {
  const response = await rpc.call<unknown>(method, params, { timeoutMs });
  const worth = assessResponse(method, params, response);
  if (worth.kind === 'none') return fail(worth.reason);
  return ok(response.ok ? response.value : null);
}
