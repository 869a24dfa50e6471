import { inferenceLedgerAbi } from '@paid-inference/contract/ledger';
import { Interface } from 'ethers';
import { expect, it } from 'vitest';
import type { Rpc } from '../../chain/rpc.ts';
import { fail } from '../../types/result.ts';
import type { Address, Bytes32, Hex } from '../../types/units.ts';
import { createLedgerView } from './ledger-view.ts';

const signer = `0x${'4a'.repeat(20)}` as Address;
const call = { to: `0x${'1e'.repeat(20)}` as Address, data: '0x' as Hex, gasLimit: 100_000n };

it("names the contract's error in a revert", async () => {
  const data = new Interface(inferenceLedgerAbi).encodeErrorResult('RevokedSigner', [signer]);
  const refusal = await viewThroughNodeThatReverts(data).findRefusal(call);
  expect(refusal?.error).toBe('RevokedSigner');
  expect(refusal?.sentence.toLowerCase()).toContain(signer);
});

it.each(['0x', '0x12', '0xe4f2a1b312', 'no hex'])(
  'returns an unknown error for a revert with the data %s',
  async (data) => {
    const refusal = {
      error: 'unknown',
      sentence: 'the ledger contract rejects the call: execution reverted',
    };
    expect(await viewThroughNodeThatReverts(data).findRefusal(call)).toEqual(refusal);
    const unread = viewThroughNodeThatReverts(data).isRecorded(`0x${'00'.repeat(32)}` as Bytes32);
    await expect(unread).rejects.toThrow(/execution reverted/);
  },
);

function viewThroughNodeThatReverts(data: string) {
  const rpc: Rpc = {
    call: async () => fail({ kind: 'refused', code: 3, message: 'execution reverted', data }),
  };
  return createLedgerView(rpc, call.to, signer);
}
