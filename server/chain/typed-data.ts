import type { Address, Bytes32 } from '../types/units.ts';
import { toBytes32 } from './bytes.ts';
import type { Keccak256 } from './keccak.ts';
import { addressWord, uint256Word } from './word.ts';

/** The domain of an EIP-712 signature: one version of one contract on one chain. */
export type Domain = {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
};

/** One member of an EIP-712 struct type, in the order in which it is hashed. */
export type TypedField = { readonly name: string; readonly type: string };

/** Hashes a domain to 32 bytes. Callers may keep the result, since a contract's domain does not change. */
export function hashDomain(
  keccak: Keccak256,
  { name, version, chainId, verifyingContract }: Domain,
): Bytes32 {
  const packed = Buffer.concat([
    typeHash(keccak, 'EIP712Domain', domainFields),
    keccak(Buffer.from(name)),
    keccak(Buffer.from(version)),
    Buffer.from(uint256Word(BigInt(chainId)) + addressWord(verifyingContract), 'hex'),
  ]);
  return toBytes32(keccak(packed));
}

export function typeHash(keccak: Keccak256, name: string, fields: readonly TypedField[]): Uint8Array {
  const members = fields.map((field) => `${field.type} ${field.name}`).join(',');
  return keccak(Buffer.from(`${name}(${members})`));
}

/** The four members that a domain has here (EIP-712 "Definition of domainSeparator"). */
const domainFields: readonly TypedField[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];
