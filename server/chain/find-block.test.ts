import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Anvil, startAnvil } from '../devnet/anvil.ts';
import { ask } from '../devnet/deployer.ts';
import { unixSeconds } from '../types/units.ts';
import { type Head, quantity, readHead } from './chain-view.ts';
import { findBlockAt } from './find-block.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';

let anvil: Anvil;
let rpc: HttpRpc;
let head: Head;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 84_532, history: 'kept' });
  rpc = createHttpRpc({ url: anvil.rpcUrl, timeoutMs: 5_000, responseBytesMax: 1_000_000 });
  // Blocks that are 7 seconds apart.
  await ask(rpc, 'anvil_mine', ['0x14', '0x7']);
  head = await headOf('latest');
});
afterAll(async () => {
  await rpc.close();
  await anvil.stop();
});

async function headOf(tag: Parameters<typeof readHead>[1]): Promise<Head> {
  const read = await readHead(rpc, tag);
  if (!read.ok) throw new Error(read.fault.message);
  return read.value;
}

const find = (seconds: bigint) => findBlockAt(rpc, unixSeconds(Number(seconds)), head);

describe('The first block that is not older than a time', () => {
  it('is the block of that second, or the next one', async () => {
    const block = await headOf(quantity(8));
    expect(await find(block.seconds)).toEqual({ ok: true, value: 8 });
    expect(await find(block.seconds + 1n)).toEqual({ ok: true, value: 9 });
    expect(await find(block.seconds - 1n)).toEqual({ ok: true, value: 8 });
  });

  it('is the first block for an early time, and the number after the newest for a late one', async () => {
    expect(await find(1n)).toEqual({ ok: true, value: 0 });
    expect(await find(head.seconds)).toEqual({ ok: true, value: head.block });
    expect(await find(head.seconds + 1n)).toEqual({ ok: true, value: head.block + 1 });
  });
});
