import { randomBytes } from 'node:crypto';
import { toBytes32 } from '../chain/bytes.ts';
import { computeAddress } from '../chain/curve.ts';
import type { Rpc } from '../chain/rpc.ts';
import type { Address, Bytes32 } from '../types/units.ts';
import { ask } from './deployer.ts';

/** A thousand ether, in wei, for gas. */
export const gasFunds = 1_000n * 10n ** 18n;

export type Key = { readonly address: Address; readonly privateKey: Bytes32 };

export function freshKey(): Key {
  const privateKey = toBytes32(randomBytes(32));
  return { address: computeAddress(privateKey), privateKey };
}

/** Gives an account of a devnet ether for gas. */
export async function fundGas(rpc: Rpc, holder: Address): Promise<void> {
  await ask(rpc, 'anvil_setBalance', [holder, `0x${gasFunds.toString(16)}`]);
}
