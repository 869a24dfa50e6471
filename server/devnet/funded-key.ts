import { randomBytes } from 'node:crypto';
import { computeAddress } from 'ethers';
import { toBytes32 } from '../chain/bytes.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type Address, type Bytes32, parseAddress } from '../types/units.ts';
import { ask } from './deployer.ts';

/** A thousand ether, in wei, for gas. */
export const gasFunds = 1_000n * 10n ** 18n;

export type Key = { readonly address: Address; readonly privateKey: Bytes32 };

export function freshKey(): Key {
  const privateKey = toBytes32(randomBytes(32));
  const address = parseAddress(computeAddress(privateKey));
  if (address === null) throw new Error('the key has no address');
  return { address, privateKey };
}

/** Gives an account of a devnet ether for gas. */
export async function fundGas(rpc: Rpc, holder: Address): Promise<void> {
  await ask(rpc, 'anvil_setBalance', [holder, `0x${gasFunds.toString(16)}`]);
}
