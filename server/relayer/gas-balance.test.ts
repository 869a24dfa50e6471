import { expect, it } from 'vitest';
import type { Rpc } from '../chain/rpc.ts';
import { singleGas } from '../chain/transfer-batch.ts';
import { createLog } from '../observe/log.ts';
import { manualClock } from '../types/clock.ts';
import { ok } from '../types/result.ts';
import type { Address } from '../types/units.ts';
import { createGasBalance } from './gas-balance.ts';

const relayer = { address: `0x${'12'.repeat(20)}` as Address, chainId: 1 };
const fees = { maxFeePerGasWeiMax: 1_000n, priorityFeeWei: 10n };
const headTime = { ageMaxSeconds: null, aheadMaxSeconds: 1_000_000 };
const hex = (value: bigint) => `0x${value.toString(16)}`;

function open() {
  const chain = { wei: singleGas * 1_000n };
  const rpc: Rpc = {
    async call<T>(method: string) {
      const block = { baseFeePerGas: hex(100n), timestamp: hex(0n) };
      return ok((method === 'eth_getBalance' ? hex(chain.wei) : block) as T);
    },
  };
  const clock = manualClock(1_800_000_000);
  const covered: boolean[] = [];
  const observer = { gasBalance: ({ isEmpty }: { isEmpty: boolean }) => void covered.push(!isEmpty) };
  const log = createLog('silent');
  return {
    chain,
    clock,
    covered,
    balance: createGasBalance({ rpc, relayer, fees, headTime, clock, log, observer }),
  };
}

const issue = `the relayer ${relayer.address} has too little ether for gas`;

it('A balance that nodes refuse covers no payment, until it grows (D-60)', async () => {
  const { chain, covered, balance } = open();
  expect(await balance.healthIssue()).toBeNull();
  balance.noteSent(true);
  expect(await balance.healthIssue()).toBe(issue);
  chain.wei += 1n;
  expect(await balance.healthIssue()).toBeNull();
  expect(covered).toEqual([true, false, true]);
});

it('A refusal is forgotten after a minute, because fees fall, and with the next transaction (D-60)', async () => {
  const { clock, balance } = open();
  await balance.healthIssue();
  balance.noteSent(true);
  clock.advance(59);
  expect(await balance.healthIssue()).toBe(issue);
  clock.advance(1);
  expect(await balance.healthIssue()).toBeNull();
  balance.noteSent(true);
  expect(await balance.healthIssue()).toBe(issue);
  balance.noteSent(false);
  expect(await balance.healthIssue()).toBeNull();
});
