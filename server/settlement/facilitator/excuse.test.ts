import { Wallet } from 'ethers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Rpc } from '../../chain/rpc.ts';
import { ask } from '../../devnet/deployer.ts';
import { delegate } from '../../testing/chain/guarded-token.ts';
import {
  type Bench,
  type Executed,
  payerFunds,
  price,
  type Settling,
  startBench,
  token,
} from '../../testing/settlement/settlement.ts';
import { fail } from '../../types/result.ts';
import type { Bytes32, Hex } from '../../types/units.ts';
import { isExcused } from './excuse.ts';

// The account of a payer may make a transfer fail that passes a moment later (D-175).

let bench: Bench;
let settling: Settling;
beforeAll(async () => {
  bench = await startBench();
  settling = await bench.openSettling();
});
afterAll(() => bench?.stop());

let executed: Executed;
let since: number;
beforeEach(async () => {
  executed = await settling.executed();
  await bench.sendAsThirdParty(transferCall('approve', holder.address), executed.payer.privateKey);
  since = Number(await ask<string>(bench.rpc, 'eth_blockNumber', []));
});

const holder = Wallet.createRandom();
const excuses = (rpc: Rpc = bench.rpc, block: number | null = since) =>
  isExcused(executed.payment, block, { rpc, token: bench.token });

function transferCall(name: 'approve' | 'transfer', to: string): Hex {
  return token.encodeFunctionData(name, [to, payerFunds]) as Hex;
}

/** A third party moves the tokens away and back. The payer's account sends nothing. */
async function moveAwayAndBack(): Promise<void> {
  const [payer, key] = [executed.payer.address, holder.privateKey as Bytes32];
  const away = token.encodeFunctionData('transferFrom', [payer, holder.address, payerFunds]) as Hex;
  await bench.sendAsThirdParty(away, key);
  await bench.sendAsThirdParty(transferCall('transfer', payer), key);
}

it('An account without changes since the block does not excuse the facilitator', async () => {
  expect(await excuses()).toBe(false);
});

it('An account whose tokens moved away and back excuses the facilitator', async () => {
  await moveAwayAndBack();
  expect(await excuses()).toBe(true);
});

it('An account that never lacked the price does not excuse it by tokens that it received', async () => {
  await bench.devnet.mintTo(executed.payer.address, price);
  expect(await excuses()).toBe(false);
});

it('An account with code excuses it, also if the block before is unknown', async () => {
  await delegate(bench.rpc, bench.devnet.chainId, executed.payer, 'accepts');
  expect(await excuses(bench.rpc, null)).toBe(true);
});

it('An account that had code and removed it excuses it, because its nonce changed', async () => {
  await delegate(bench.rpc, bench.devnet.chainId, executed.payer, 'accepts');
  await ask(bench.rpc, 'anvil_setCode', [executed.payer.address, '0x']);
  expect(await excuses()).toBe(true);
});

it('A chain that does not respond excuses nothing', async () => {
  await moveAwayAndBack();
  const silent: Rpc = { call: async () => fail({ kind: 'unavailable', message: 'no response' }) };
  expect(await excuses(silent)).toBe(false);
});
