import { Interface } from 'ethers';
import { expect, it } from 'vitest';
import { toHex } from '../../chain/bytes.ts';
import artifact from '../../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import type { SignedProof } from '../../store/proof-store.ts';
import { randomValues, testSeed } from '../../testing/chain/random-values.ts';
import { unixSeconds } from '../../types/units.ts';
import { recordBatchCall, recordInferencesCall, registerEnclaveKeyCall } from './ledger-call.ts';

const seed = testSeed();
const random = randomValues(seed);
const ledger = new Interface(artifact.abi);
const contract = random.address();

it(`encodes every call as ethers does (seed ${seed})`, () => {
  for (let round = 0; round < 100; round++) {
    const [root, size] = [random.bytes32(), 1 + random.below(2 ** 31)];
    expect(recordBatchCall(contract, root, size).data).toBe(
      ledger.encodeFunctionData('recordBatch', [root, size]),
    );
    const [signer, provider] = [random.address(), 'ü'.repeat(random.below(40))];
    expect(registerEnclaveKeyCall(contract, signer, root, provider).data).toBe(
      ledger.encodeFunctionData('registerEnclaveKey', [signer, root, provider]),
    );
    const proofs = Array.from({ length: random.below(4) }, someProof);
    expect(recordInferencesCall(contract, proofs).data).toBe(
      ledger.encodeFunctionData('recordInferences', [proofs]),
    );
  }
});

function someProof(): SignedProof {
  return {
    proofId: random.bytes32(),
    inputHash: random.bytes32(),
    outputHash: random.bytes32(),
    modelHash: random.bytes32(),
    timestamp: unixSeconds(random.below(2 ** 31)),
    signer: random.address(),
    signature: toHex(random.bytes([0, 32, 64, 65][random.below(4)] ?? 65)),
    settlementType: 'individual',
  };
}
