import { Interface } from 'ethers';
import type { TransactionCall } from '../../chain/transaction.ts';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };

import type { SignedProof } from '../../store/proof-store.ts';
import type { Address, Bytes32, Hex } from '../../types/units.ts';

/** Every function, event and error of the contract, with the inherited ones. */
export const ledgerInterface = new Interface(artifact.abi);

/** A call of the ledger contract, and the gas that it may use. */
export type LedgerCall = TransactionCall;

/**
 * Gas limits are fixed, because an estimate is another call that can fail in an outage. Each is about twice the
 * measured value: 54,338 for a batch of any size, 62,536 for one inference and 36,737 for each of fifty, 72,682
 * for a key.
 */
const batchGas = 110_000n;
const inferencesGas = 60_000n;
const inferenceGas = 75_000n;
const registrationGas = 200_000n;

export function recordBatchCall(contract: Address, root: Bytes32, size: number): LedgerCall {
  return buildCall(contract, 'recordBatch', [root, size], batchGas);
}

export function recordInferencesCall(contract: Address, proofs: readonly SignedProof[]): LedgerCall {
  const gasLimit = inferencesGas + inferenceGas * BigInt(proofs.length);
  return buildCall(contract, 'recordInferences', [proofs], gasLimit);
}

export function registerEnclaveKeyCall(
  contract: Address,
  signer: Address,
  evidenceHash: string,
  provider: string,
): LedgerCall {
  return buildCall(contract, 'registerEnclaveKey', [signer, evidenceHash, provider], registrationGas);
}

function buildCall(to: Address, method: string, values: readonly unknown[], gasLimit: bigint): LedgerCall {
  return { to, data: ledgerInterface.encodeFunctionData(method, values) as Hex, gasLimit };
}
