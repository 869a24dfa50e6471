import { inspect } from 'node:util';
import { inferenceProofTypes } from '@paid-inference/contract/eip712';
import { decodeInferenceProof, encodeInferenceProof } from '@paid-inference/contract/headers';
import type { InferenceProof } from '@paid-inference/contract/types';
import { InferenceProof as isInferenceProof } from '@paid-inference/contract/validators';
import {
  computeAddress,
  id,
  recoverAddress,
  Signature,
  SigningKey,
  TypedDataEncoder,
  verifyTypedData,
} from 'ethers';
import { describe, expect, it } from 'vitest';
import { toHex } from '../chain/bytes.ts';
import { curve } from '../chain/curve.ts';
import { ethersCurve } from '../chain/ethers-curve.ts';
import { createKeccak } from '../chain/keccak.ts';
import { randomValues, testSeed } from '../testing/chain/random-values.ts';
import { manualClock } from '../types/clock.ts';
import { unixSeconds } from '../types/units.ts';
import { createCanonicalHash } from './canonical-hash.ts';
import { createEnclaveKey } from './enclave-key.ts';
import { createProver } from './prover.ts';
import { createStatementDigest } from './statement.ts';

const seed = testSeed();
const keccak = await createKeccak();
const canonicalHash = createCanonicalHash(keccak);
const random = randomValues(seed);
const clock = manualClock(1_700_000_000);
const ledger = {
  name: 'InferenceLedger',
  version: '1',
  chainId: 31_740,
  verifyingContract: random.address(),
} as const;
const attestation = { provider: 'software', hardware: false, evidenceHash: random.bytes32() };
const inference = {
  inputHash: random.bytes32(),
  completion: '{"object":"chat.completion","id":"1"}',
  model: 'alder/alder-mini',
};

describe.each([curve, ethersCurve])('An enclave key of $name (D-68)', (each) => {
  const key = createEnclaveKey(keccak, each);

  it('has the address of its public key, and its signatures recover to that address as in the ledger contract', () => {
    expect(key.publicKey).toMatch(/^0x04[0-9a-f]{128}$/);
    expect(computeAddress(key.publicKey).toLowerCase()).toBe(key.address);
    for (let round = 0; round < 20; round++) {
      const digest = random.bytes(32);
      const signature = key.sign(digest);
      expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/);
      expect(recoverAddress(digest, signature).toLowerCase()).toBe(key.address);
      expect(SigningKey.recoverPublicKey(digest, signature)).toBe(key.publicKey);
      expect(Signature.from(signature).isValid(), 's in the lower half').toBe(true);
    }
  });

  it('is new at every start, and does not show its secret', () => {
    expect(createEnclaveKey(keccak, each).address).not.toBe(key.address);
    expect(Object.keys(key).sort()).toEqual(['address', 'publicKey', 'sign']);
    const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
    const hexRuns = shown.match(/[0-9a-f]{64}/g) ?? [];
    expect(hexRuns.every((run) => key.publicKey.includes(run))).toBe(true);
  });
});

const modes = ['private', 'individual', 'batch'] as const;

it(`computes the EIP-712 digest of a statement like ethers (D-68, seed ${seed})`, () => {
  for (let round = 0; round < 100; round++) {
    const domain = {
      ...ledger,
      chainId: 1 + random.below(2 ** 31),
      verifyingContract: random.address(),
    };
    const statement = {
      proofId: random.bytes32(),
      inputHash: random.bytes32(),
      outputHash: random.bytes32(),
      modelHash: random.bytes32(),
      timestamp: unixSeconds(random.below(2 ** 31)),
      settlementType: modes[random.below(modes.length)] ?? 'batch',
    };
    expect(toHex(createStatementDigest(keccak, domain)(statement))).toBe(
      TypedDataEncoder.hash(domain, inferenceProofTypes, statement),
    );
  }
});

describe('The header of a proof (D-68)', () => {
  const key = createEnclaveKey(keccak);
  const prover = createProver({ keccak, canonicalHash, clock, key, ledger, attestation });

  it.each(modes)('recovers to its signer without other data in %s mode', (settlementType) => {
    const { header, proof } = prover.prove({ ...inference, settlementType });
    const decoded = decodeInferenceProof(header);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.value).toEqual(proof);
    expect(isInferenceProof(decoded.value)).toBe(true);
    expect(recoverSigner(decoded.value)).toBe(key.address);
    expect(decoded.value).toMatchObject({
      signer: prover.signer,
      inputHash: inference.inputHash,
      outputHash: canonicalHash(JSON.parse(inference.completion)),
      modelHash: id(inference.model),
      timestamp: clock.nowSeconds(),
      settlementType,
      canonicalization: 'jcs-rfc8785',
      attestation,
      ledger,
    });
  });

  it.each(['proofId', 'inputHash', 'outputHash', 'modelHash', 'timestamp'] as const)(
    'recovers to another address with another %s',
    (name) => {
      const { proof } = prover.prove({ ...inference, settlementType: 'batch' });
      const other = name === 'timestamp' ? proof.timestamp + 1 : random.bytes32();
      expect(recoverSigner({ ...proof, [name]: other })).not.toBe(key.address);
    },
  );

  it.each(modes)(
    'recovers to another address in %s mode when it was signed for another mode (D-85)',
    (mode) => {
      for (const signed of modes.filter((each) => each !== mode)) {
        const { proof } = prover.prove({ ...inference, settlementType: signed });
        expect(recoverSigner({ ...proof, settlementType: mode })).not.toBe(key.address);
      }
    },
  );

  it('recovers to another address on another ledger', () => {
    const { proof } = prover.prove({ ...inference, settlementType: 'batch' });
    for (const change of [{ chainId: 1 }, { verifyingContract: random.address() }]) {
      expect(recoverSigner({ ...proof, ledger: { ...ledger, ...change } })).not.toBe(key.address);
    }
  });

  it('is encoded like in the contract, with a new id each time', () => {
    const [first, second] = [1, 2].map(() => prover.prove({ ...inference, settlementType: 'batch' }));
    expect(first?.header).toBe(encodeInferenceProof(first?.proof as InferenceProof));
    expect(first?.proof.proofId).not.toBe(second?.proof.proofId);
  });

  it('comes with a record for the proof ledger, but not in private mode', () => {
    for (const settlementType of ['individual', 'batch'] as const) {
      const { proof, record } = prover.prove({ ...inference, settlementType });
      const { canonicalization: _, attestation: __, ledger: ___, ...recorded } = proof;
      expect(record).toEqual(recorded);
    }
    expect(prover.prove({ ...inference, settlementType: 'private' }).record).toBeNull();
  });

  it('hashes the response as it is sent, in any order of keys', () => {
    const hashResponse = (completion: string) =>
      prover.prove({ ...inference, completion, settlementType: 'batch' }).proof.outputHash;
    expect(hashResponse('{ "id": "1", "object": "chat.completion" }')).toBe(
      hashResponse(inference.completion),
    );
    expect(hashResponse(inference.completion.replace('1', '2'))).not.toBe(hashResponse(inference.completion));
  });
});

function recoverSigner({ ledger: domain, signature, ...proof }: InferenceProof): string {
  const { proofId, inputHash, outputHash, modelHash, timestamp, settlementType } = proof;
  const statement = { proofId, inputHash, outputHash, modelHash, timestamp, settlementType };
  return verifyTypedData(domain, inferenceProofTypes, statement, signature).toLowerCase();
}
