import { fail, ok, type Result } from '../types/result.ts';
import { type Bytes32, parseBytes32 } from '../types/units.ts';
import { worthOf } from './answer-worth.ts';
import type { Rpc } from './rpc.ts';

/** The newest block that an endpoint tells of. */
export type Newest = { readonly block: number; readonly hash: Bytes32 };

/** Which chain an endpoint serves, beyond its id: several may have the same one. */
export type Identity = { readonly chainId: number; readonly genesis: Bytes32 | null };

/** A block number past this is a node's mistake. */
const blockMax = 2 ** 40;

/** Asks an endpoint for its newest block. The fault is a reason for the log. */
export async function readNewest(rpc: Rpc, timeoutMs: number): Promise<Result<Newest, string>> {
  const block = await readBlock(rpc, 'latest', timeoutMs);
  return block.ok ? (block.value === null ? fail('it has no newest block') : ok(block.value)) : block;
}

/** Whether an endpoint has the block that it called its newest; a number from nowhere has none behind it. */
export async function hasBlock(rpc: Rpc, { block, hash }: Newest, timeoutMs: number): Promise<boolean> {
  const shown = await readBlock(rpc, `0x${block.toString(16)}`, timeoutMs);
  return shown.ok && shown.value?.hash === hash;
}

/** Asks an endpoint which chain it serves. Where it has pruned even the first block, the id must do. */
export async function identify(rpc: Rpc, timeoutMs: number): Promise<Result<Identity, string>> {
  const [chainId, first] = await Promise.all([
    ask(rpc, 'eth_chainId', [], timeoutMs),
    readBlock(rpc, '0x0', timeoutMs),
  ]);
  if (!chainId.ok) return chainId;
  if (typeof chainId.value !== 'string') return fail('it does not say which chain it serves');
  if (!first.ok) return first;
  return ok({ chainId: Number(chainId.value), genesis: first.value?.hash ?? null });
}

/** Null where the endpoint cannot tell. */
async function readBlock(
  rpc: Rpc,
  number: string,
  timeoutMs: number,
): Promise<Result<Newest | null, string>> {
  const answer = await ask(rpc, 'eth_getBlockByNumber', [number, false], timeoutMs);
  if (!answer.ok || answer.value === null) return answer as Result<null, string>;
  const { number: told, hash } = answer.value as { readonly number: string; readonly hash: string };
  const parsed = parseBytes32(hash);
  const block = Number(told);
  return parsed === null || block > blockMax
    ? fail('it tells of a block that cannot be')
    : ok({ block, hash: parsed });
}

async function ask(
  rpc: Rpc,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): Promise<Result<unknown, string>> {
  const answer = await rpc.call<unknown>(method, params, { timeoutMs });
  const worth = worthOf(method, params, answer);
  if (worth.kind === 'none') return fail(worth.reason);
  return ok(answer.ok ? answer.value : null);
}
