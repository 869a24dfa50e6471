import { arrayTail, bytesTail, computeSelector, encodeValues, textTail, tupleTail } from '../../chain/abi.ts';
import type { TransactionCall } from '../../chain/transaction.ts';
import { addressWord, bytes32Word, uint256Word } from '../../chain/word.ts';
import type { SignedProof } from '../../store/proof-store.ts';
import type { Address, Bytes32, Hex } from '../../types/units.ts';

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

const selector = {
  recordBatch: computeSelector('recordBatch(bytes32,uint64)'),
  recordInferences: computeSelector('recordInferences((bytes32,bytes32,bytes32,bytes32,uint64,bytes)[])'),
  registerEnclaveKey: computeSelector('registerEnclaveKey(address,bytes32,string)'),
};

export function recordBatchCall(contract: Address, root: Bytes32, size: number): LedgerCall {
  return buildCall(contract, selector.recordBatch, [bytes32Word(root), uint256Word(BigInt(size))], batchGas);
}

export function recordInferencesCall(contract: Address, proofs: readonly SignedProof[]): LedgerCall {
  const gasLimit = inferencesGas + inferenceGas * BigInt(proofs.length);
  const inferences = proofs.map(({ proofId, inputHash, outputHash, modelHash, timestamp, signature }) =>
    tupleTail([
      ...[proofId, inputHash, outputHash, modelHash].map(bytes32Word),
      uint256Word(BigInt(timestamp)),
      bytesTail(signature.slice(2)),
    ]),
  );
  return buildCall(contract, selector.recordInferences, [arrayTail(inferences)], gasLimit);
}

export function registerEnclaveKeyCall(
  contract: Address,
  signer: Address,
  evidenceHash: Bytes32,
  provider: string,
): LedgerCall {
  const values = [addressWord(signer), bytes32Word(evidenceHash), textTail(provider)];
  return buildCall(contract, selector.registerEnclaveKey, values, registrationGas);
}

function buildCall(
  to: Address,
  method: string,
  values: Parameters<typeof encodeValues>[0],
  gasLimit: bigint,
): LedgerCall {
  return { to, data: (method + encodeValues(values)) as Hex, gasLimit };
}
