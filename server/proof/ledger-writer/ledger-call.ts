import { Interface } from 'ethers';
import type { TransactionCall } from '../../chain/transaction.ts';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };

import type { SignedProof } from '../../store/proof-store.ts';
import type { Address, Bytes32, Hex } from '../../types/units.ts';

/** Every function, event and error of the contract, those that it inherits included. */
export const ledgerInterface = new Interface(artifact.abi);

/** A call of the ledger contract, and the gas that it may use. */
export type LedgerCall = TransactionCall;

/**
 * Gas is named and never estimated: an estimate is one more thing that an outage can take away. Each figure is about
 * twice what was measured: 54,338 for a batch of any size, 62,536 for one inference and 36,737 for each of fifty, 72,682
 * for a key.
 */
const batchGas = 110_000n;
const inferencesGas = 60_000n;
const inferenceGas = 75_000n;
const registrationGas = 200_000n;

export function recordBatchCall(contract: Address, root: Bytes32, size: number): LedgerCall {
  return callOf(contract, 'recordBatch', [root, size], batchGas);
}

export function recordInferencesCall(contract: Address, proofs: readonly SignedProof[]): LedgerCall {
  const gasLimit = inferencesGas + inferenceGas * BigInt(proofs.length);
  return callOf(contract, 'recordInferences', [proofs], gasLimit);
}

export function registerEnclaveKeyCall(
  contract: Address,
  signer: Address,
  evidenceHash: string,
  provider: string,
): LedgerCall {
  return callOf(contract, 'registerEnclaveKey', [signer, evidenceHash, provider], registrationGas);
}

function callOf(to: Address, method: string, values: readonly unknown[], gasLimit: bigint): LedgerCall {
  return { to, data: ledgerInterface.encodeFunctionData(method, values) as Hex, gasLimit };
}
