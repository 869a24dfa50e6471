import type { Authorization } from '../types/authorization.ts';
import type { Bytes32 } from '../types/units.ts';
import type { Keccak256 } from './keccak.ts';
import { type Domain, hashDomain, type TypedField, typeHash } from './typed-data.ts';
import { addressWord, bytes32Word, uint256Word, type Word } from './word.ts';

/** The domain that a payer's signature is bound to: one version of one token on one chain (contract §4.4). */
export type TokenDomain = Domain;

export interface AuthorizationHasher {
  /**
   * Hashes a domain to 32 bytes (EIP-712). Callers may keep the result, since a token's domain does not change.
   */
  domainSeparator(domain: TokenDomain): Bytes32;
  /** Computes the 32 bytes that the payer signed. */
  authorizationDigest(domainSeparator: Bytes32, authorization: Authorization): Uint8Array;
}

/**
 * Hashes authorizations as EIP-712 prescribes. The 224 bytes (type hash and six words) are packed by hand,
 * because generic encoding costs more than the hash. `authorizationFields` is the member list of
 * `TransferWithAuthorization` from the contract package; throws for a list that this code cannot pack.
 * @see https://eips.ethereum.org/EIPS/eip-712
 */
export function createAuthorizationHasher({
  keccak,
  authorizationFields,
}: {
  readonly keccak: Keccak256;
  readonly authorizationFields: readonly TypedField[];
}): AuthorizationHasher {
  const words = authorizationFields.map(packedWord);
  const names = new Set(authorizationFields.map(({ name }) => name));
  if (names.size !== fieldCount || words.length !== fieldCount) {
    throw new Error(`TransferWithAuthorization needs its ${fieldCount} members once each`);
  }
  const authorizationTypeHash = typeHash(keccak, 'TransferWithAuthorization', authorizationFields);

  // Every call overwrites both buffers. Calls cannot interleave, because hashing is synchronous.
  const struct = Buffer.alloc(32 * (1 + fieldCount));
  struct.set(authorizationTypeHash);
  const signed = Buffer.alloc(66);
  signed.set([0x19, 0x01]);

  return {
    domainSeparator: (domain) => hashDomain(keccak, domain),
    authorizationDigest(domainSeparator, authorization) {
      let text = '';
      for (const word of words) text += word(authorization);
      struct.write(text, 32, 'hex');
      signed.write(bytes32Word(domainSeparator), 2, 'hex');
      signed.set(keccak(struct), 34);
      return keccak(signed);
    },
  };
}

type PackedWord = (authorization: Authorization) => Word;

/** Encodes each member as one word, by its type and name in the type list. */
const packing: ReadonlyMap<string, PackedWord> = new Map<string, PackedWord>([
  ['address from', ({ from }) => addressWord(from)],
  ['address to', ({ to }) => addressWord(to)],
  ['uint256 value', ({ value }) => uint256Word(value)],
  ['uint256 validAfter', ({ validAfter }) => uint256Word(validAfter)],
  ['uint256 validBefore', ({ validBefore }) => uint256Word(validBefore)],
  ['bytes32 nonce', ({ nonce }) => bytes32Word(nonce)],
]);

const fieldCount = packing.size;

function packedWord({ name, type }: TypedField): PackedWord {
  const word = packing.get(`${type} ${name}`);
  if (word === undefined) throw new Error(`TransferWithAuthorization has no member "${type} ${name}"`);
  return word;
}
