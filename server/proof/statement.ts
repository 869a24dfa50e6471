import { inferenceProofPrimaryType, inferenceProofTypes } from '@paid-inference/contract/eip712';
import type { SettlementType } from '@paid-inference/contract/types';
import { toHex } from '../chain/bytes.ts';
import type { Keccak256 } from '../chain/keccak.ts';
import { type Domain, hashDomain, type TypedField, typeHash } from '../chain/typed-data.ts';
import { bytes32Word, uint256Word, type Word } from '../chain/word.ts';
import type { Bytes32, UnixSeconds } from '../types/units.ts';

/** The statement of one inference that an enclave key signs; the contract's `InferenceStatement`. */
type Statement = {
  readonly proofId: Bytes32;
  readonly inputHash: Bytes32;
  readonly outputHash: Bytes32;
  readonly modelHash: Bytes32;
  /** When the inference was complete. */
  readonly timestamp: UnixSeconds;
  readonly settlementType: SettlementType;
};

/** Computes the 32 bytes that the key signs: the statement as EIP-712 typed data in the ledger's domain. */
export type StatementDigest = (statement: Statement) => Uint8Array;

/**
 * Packs the statement by hand, like authorizations in `chain/domain.ts`. Throws when the generated member list
 * has a member that this code cannot pack.
 * @see https://eips.ethereum.org/EIPS/eip-712
 */
export function createStatementDigest(keccak: Keccak256, ledger: Domain): StatementDigest {
  const fields = inferenceProofTypes[inferenceProofPrimaryType];
  const words = fields.map((field) => packedWord(keccak, field));
  const head = Buffer.concat([
    Buffer.of(0x19, 0x01),
    Buffer.from(bytes32Word(hashDomain(keccak, ledger)), 'hex'),
  ]);
  const type = Buffer.from(typeHash(keccak, inferenceProofPrimaryType, fields)).toString('hex');
  return (statement) => {
    const struct = type + words.map((word) => word(statement)).join('');
    return keccak(Buffer.concat([head, keccak(Buffer.from(struct, 'hex'))]));
  };
}

type PackedWord = (statement: Statement, keccak: Keccak256) => Word;

/**
 * Packs each member into its word, by its type and name in the type list. EIP-712 takes the hash of a string.
 */
const packing: ReadonlyMap<string, PackedWord> = new Map<string, PackedWord>([
  ['bytes32 proofId', ({ proofId }) => bytes32Word(proofId)],
  ['bytes32 inputHash', ({ inputHash }) => bytes32Word(inputHash)],
  ['bytes32 outputHash', ({ outputHash }) => bytes32Word(outputHash)],
  ['bytes32 modelHash', ({ modelHash }) => bytes32Word(modelHash)],
  ['uint64 timestamp', ({ timestamp }) => uint256Word(BigInt(timestamp))],
  [
    'string settlementType',
    ({ settlementType }, keccak) => bytes32Word(toHex(keccak(Buffer.from(settlementType)))),
  ],
]);

function packedWord(keccak: Keccak256, { name, type }: TypedField): (statement: Statement) => Word {
  const word = packing.get(`${type} ${name}`);
  if (word === undefined) throw new Error(`unsupported statement field "${type} ${name}"`);
  return (statement) => word(statement, keccak);
}
