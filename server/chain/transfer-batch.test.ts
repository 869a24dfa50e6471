import { chainId } from '@paid-inference/contract/constants';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../devnet/deployer.ts';
import { type Devnet, startDevnet } from '../devnet/devnet.ts';
import type { Address, Hex } from '../types/units.ts';
import { balanceOfCalldata, transferCalldata } from './calldata.ts';
import { createHttpRpc, type HttpRpc } from './http-rpc.ts';
import {
  batchCallsMax,
  batchGasLimit,
  callGas,
  countExtraGas,
  parseBatchReport,
  transferBatch,
  walletCallsBytesMax,
} from './transfer-batch.ts';
import { walletSignatureBytesMax } from './wallet-signature.ts';

// A batch gives each call its own gas, whatever the other calls use (D-135).

let devnet: Devnet;
let rpc: HttpRpc;
beforeAll(async () => {
  devnet = await startDevnet({ chainId });
  rpc = createHttpRpc({ url: devnet.rpcUrl, timeoutMs: 10_000, responseBytesMax: 1_048_576 });
});
afterAll(async () => {
  await rpc.close();
  await devnet.stop();
});

/**
 * A fake token: burns all its gas when the first word is 1, else stores its gas at the slot of the second word.
 */
const target = '0x7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a' as Address;
/** CALLDATALOAD 0, EQ 1, JUMPI to a loop; else SSTORE(CALLDATALOAD 32, GAS). */
const targetCode = '0x5f35600114600e575a60203555005b600e56';

const burning = `0x${'1'.padStart(64, '0')}` as Hex;
const writing = (slot: number) => `0x${'0'.repeat(64)}${slot.toString(16).padStart(64, '0')}` as Hex;

/** The most calls, of which as many are of wallets as a batch takes, each with the longest signature. */
function fullBatch(): readonly Hex[] {
  const tail = (bytes: number) => 'ff'.repeat(bytes - 32);
  const walletCall = `${burning}${tail(292 + walletSignatureBytesMax)}` as Hex;
  const wallets = Math.floor(walletCallsBytesMax / (walletCall.length / 2));
  const keys = batchCallsMax - wallets - 1;
  return [
    ...Array<Hex>(wallets).fill(walletCall),
    ...Array<Hex>(keys).fill(`${burning}${tail(292)}` as Hex),
    `${writing(11)}${'ff'.repeat(228)}` as Hex,
  ];
}

async function send(calls: readonly Hex[], gas: bigint) {
  const from = Wallet.createRandom().address;
  await ask(rpc, 'anvil_setBalance', [from, '0x8ac7230489e80000']);
  await ask(rpc, 'anvil_impersonateAccount', [from]);
  const data = transferBatch(target, calls, 'send');
  const hash = await ask(rpc, 'eth_sendTransaction', [{ from, data, gas: `0x${gas.toString(16)}` }]);
  await ask(rpc, 'evm_mine', []);
  return ask<{ readonly status: string; readonly contractAddress: string; readonly gasUsed: string }>(
    rpc,
    'eth_getTransactionReceipt',
    [hash],
  );
}

async function written(slot: number): Promise<bigint> {
  return BigInt(await ask<string>(rpc, 'eth_getStorageAt', [target, `0x${slot.toString(16)}`, 'latest']));
}

describe('A batch', () => {
  it('of the most calls gives the last call its gas after all others have burned theirs', async () => {
    await ask(rpc, 'anvil_setCode', [target, targetCode]);
    const calls = [...Array<Hex>(batchCallsMax - 1).fill(burning), writing(7)];
    const receipt = await send(calls, batchGasLimit(batchCallsMax));
    expect(receipt.status).toBe('0x1');
    // The gas left when the call wrote: all but the few units used before.
    expect(callGas - (await written(7))).toBeLessThan(200n);
    expect(BigInt(receipt.gasUsed)).toBeGreaterThan(callGas * BigInt(batchCallsMax - 1));
  });

  it('is undone as a whole when it could not give a call its gas', async () => {
    await ask(rpc, 'anvil_setCode', [target, targetCode]);
    const receipt = await send([writing(8), burning, burning, writing(9)], batchGasLimit(4) - 2n * callGas);
    expect(receipt.status).toBe('0x0');
    expect([await written(8), await written(9)]).toEqual([0n, 0n]);
  });

  it('leaves no code behind', async () => {
    const { status, contractAddress } = await send([writing(10)], batchGasLimit(1));
    expect(status).toBe('0x1');
    expect(await ask(rpc, 'eth_getCode', [contractAddress, 'latest'])).toBe('0x');
  });

  it('that is simulated reports each call, and the time of its block', async () => {
    const { address } = devnet.token;
    const calls = [
      transferCalldata(devnet.payTo, 0n),
      transferCalldata(devnet.payTo, 1n),
      balanceOfCalldata(devnet.payer.address),
      // A balance of zero is the word that a token returns for false.
      balanceOfCalldata(target),
    ];
    const call = { data: transferBatch(address, calls, 'simulate'), gas: '0xf4240' };
    const result = await ask(rpc, 'eth_call', [call, 'latest']);
    const { timestamp } = await ask<{ timestamp: string }>(rpc, 'eth_getBlockByNumber', ['latest', false]);
    const report = parseBatchReport(result, 4);
    // The contract has no tokens, so it can move none.
    expect(report?.succeeded).toEqual([true, false, true, false]);
    expect(report?.seconds).toBeGreaterThanOrEqual(BigInt(timestamp));
    expect(parseBatchReport(result, 2)).toBeNull();
  });

  it('of too many calls, or of a call that is too long, throws', () => {
    expect(() => transferBatch(target, Array<Hex>(batchCallsMax + 1).fill(burning), 'send')).toThrow('101');
    expect(() => transferBatch(target, [`0x${'00'.repeat(65_536)}` as Hex], 'send')).toThrow('65536');
  });

  it('with the most calls of wallets, which all burn their gas, gives the last call its gas (D-293)', async () => {
    await ask(rpc, 'anvil_setCode', [target, targetCode]);
    const receipt = await send(fullBatch(), batchGasLimit(batchCallsMax, countExtraGas(fullBatch())));
    expect(receipt.status).toBe('0x1');
    expect(callGas - (await written(11))).toBeLessThan(200n);
  });

  it('with the most calls of wallets stays within the limits of a chain (D-293)', () => {
    const calls = fullBatch();
    expect(transferBatch(target, calls, 'send').length / 2 - 1).toBeLessThan(49_152);
    expect(batchGasLimit(batchCallsMax, countExtraGas(calls))).toBeLessThan(16_777_216n);
  });
});
