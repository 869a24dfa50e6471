import artifact from '../contracts/artifacts/WalletCheck.json' with { type: 'json' };
import { fail, ok, type Result } from '../types/result.ts';
import type { Address, Hex } from '../types/units.ts';
import { bytesTail, encodeValues, parseWords, readBytes } from './abi.ts';
import { toHex } from './bytes.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { callGas } from './transfer-batch.ts';
import { addressWord, bytes32Word, parseWord, uint256Word } from './word.ts';

// Signatures of contract wallets (ERC-1271), which only the code of the wallet can verify (D-293).

/** The longest signature of a contract wallet. Signatures with a passkey have under 1,000 bytes. */
export const walletSignatureBytesMax = 2_048;

/**
 * The store keeps the signature of a wallet with this last byte. The signature of a key ends with v, which is
 * never this byte (D-04). So a kept signature shows which overload of the token's function takes it.
 */
const walletMark = '71';

/** Marks the signature of a wallet for the store. */
export function keepWalletSignature(signature: Hex): Hex {
  return `${signature}${walletMark}` as Hex;
}

/** Returns whether a kept signature is that of a wallet, and not that of a key. */
export function isWalletSignature(kept: Hex): boolean {
  return kept.endsWith(walletMark);
}

/** Returns the signature of a wallet as the wallet made it. */
export function readWalletSignature(kept: Hex): Hex {
  return kept.slice(0, -walletMark.length) as Hex;
}

/** What an account says about a signature. */
export type WalletVerdict = 'accepts' | 'rejects' | 'has-no-code';

/** Asks the code of an account at the newest block whether it accepts a signature over a digest. */
export type CheckWallet = (
  wallet: Address,
  digest: Uint8Array,
  signature: Hex,
) => Promise<Result<WalletVerdict, RpcFault>>;

const verdicts: ReadonlyMap<bigint, WalletVerdict> = new Map([
  [0n, 'has-no-code'],
  [1n, 'accepts'],
  [2n, 'rejects'],
]);

/** Gas of the simulation besides the wallet's call: its data, the memory, and the result. */
const checkGas = 200_000n;

/** The wallet gets the gas of one call in a batch. The result has 32 bytes, whatever the code of the wallet does. */
export function createWalletCheck(rpc: Rpc): CheckWallet {
  return async (wallet, digest, signature) => {
    const values = [bytes32Word(toHex(digest)), bytesTail(signature.slice(2))];
    const call = bytesTail(`${isValidSignature}${encodeValues(values)}`);
    const data = `${artifact.bytecode}${encodeValues([addressWord(wallet), uint256Word(callGas), call])}`;
    const gas = `0x${(callGas + checkGas).toString(16)}`;
    const response = await rpc.call<unknown>('eth_call', [{ data, gas }, 'latest']);
    if (!response.ok) return response;
    const word = parseWord(response.value);
    const verdict = word === null ? undefined : verdicts.get(BigInt(`0x${word}`));
    return verdict === undefined
      ? fail({ kind: 'unavailable', message: 'the node returned no valid check of a contract wallet' })
      : ok(verdict);
  };
}

/** The selector of `isValidSignature(bytes32,bytes)`; a test computes it again. */
export const isValidSignature = '1626ba7e';

/** The suffix of a signature with the data that deploys its wallet (ERC-6492). */
const deploymentSuffix = '6492'.repeat(16);

/**
 * Unwraps a signature that carries the data for deploying its wallet: the factory, its calldata, and the signature
 * (ERC-6492). Null for any other signature.
 */
export function unwrapDeployment(signature: Hex): Hex | null {
  if (!signature.endsWith(deploymentSuffix)) return null;
  const words = parseWords(signature.slice(0, -deploymentSuffix.length), 3);
  const inner = words && readBytes(words, 2);
  return inner && toHex(inner);
}
