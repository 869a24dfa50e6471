import { randomBytes } from 'node:crypto';
import { computeAddress } from 'ethers';
import { toBytes32, toHex } from '../chain/bytes.ts';
import { loadNativeCurve } from '../chain/native-curve.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type Address, type Bytes32, parseAddress } from '../types/units.ts';
import { ask } from './deployer.ts';

/** A thousand ether, in wei, for gas. */
export const gasFunds = 1_000n * 10n ** 18n;

export type Key = { readonly address: Address; readonly privateKey: Bytes32 };

const curve = await loadNativeCurve();

export function freshKey(): Key {
  const secret = randomBytes(32);
  const privateKey = toBytes32(secret);
  // Without libsecp256k1, ethers computes the public key, which takes about twenty times as long.
  const publicKey = curve === null ? null : toHex(curve.publicKeyCreate(secret, false));
  const address = parseAddress(computeAddress(publicKey ?? privateKey));
  if (address === null) throw new Error('the key has no address');
  return { address, privateKey };
}

/** Gives an account of a devnet ether for gas. */
export async function fundGas(rpc: Rpc, holder: Address): Promise<void> {
  await ask(rpc, 'anvil_setBalance', [holder, `0x${gasFunds.toString(16)}`]);
}
