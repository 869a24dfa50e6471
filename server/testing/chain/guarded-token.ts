import { Interface, Wallet } from 'ethers';
import type { Rpc } from '../../chain/rpc.ts';
import { ask } from '../../devnet/deployer.ts';
import type { FundedPayer } from '../../devnet/devnet.ts';
import type { Address, Hex } from '../../types/units.ts';
import artifact from '../contracts/artifacts/GuardedToken.json' with { type: 'json' };

/** A token like FiatToken v2.2, for `startDevnet({ tokenCode })`. */
export const guardedTokenCode = artifact.bytecode as Hex;

const token = new Interface(artifact.abi);

/** Pauses the token, or ends the pause. */
export async function setPaused(rpc: Rpc, asset: Address, isPaused: boolean): Promise<void> {
  await sendFromAnybody(rpc, asset, token.encodeFunctionData('setPaused', [isPaused]));
}

/** The effect of a pause: all transfers revert; `transfer` returns false; or signed transfers also do nothing. */
export type PauseManner = 'reverts' | 'returns-false' | 'does-nothing';

/** Sets the effect of a pause. */
export async function setPauseManner(rpc: Rpc, asset: Address, manner: PauseManner): Promise<void> {
  const silence = ['reverts', 'returns-false', 'does-nothing'].indexOf(manner);
  await sendFromAnybody(rpc, asset, token.encodeFunctionData('setSilence', [silence]));
}

/** Puts an account on the token's blocklist, or removes it. */
export async function setBlocked(
  rpc: Rpc,
  asset: Address,
  account: Address,
  isBlocked: boolean,
): Promise<void> {
  await sendFromAnybody(rpc, asset, token.encodeFunctionData('setBlocked', [account, isBlocked]));
}

/**
 * Codes for an account that differ in their result of `isValidSignature` (ERC-1271). Each is hand-assembled,
 * because it must do exactly one thing.
 */
export const accountCode = {
  /** Accepts every signature: returns the magic value 0x1626ba7e. */
  accepts: '0x631626ba7e60e01b5f5260205ff3',
  /** JUMPDEST, PUSH0, JUMP: a loop that burns all its gas. */
  burnsGas: '0x5b5f56',
  /** Accepts every signature in a simulation, which has no origin, and reverts in a transaction. */
  revertsInTransactions: '0x32601257631626ba7e60e01b5f5260205ff35b5f5ffd',
  /** Burns all gas in a transaction, and accepts every signature in a simulation. */
  burnsGasInTransactions: '0x32601257631626ba7e60e01b5f5260205ff35b601256',
  /** Accepts every signature in blocks of even number, and reverts in the others. */
  takesEvenBlocks: '0x43600116601557631626ba7e60e01b5f5260205ff35b5f5ffd',
} as const;

/** Delegates the payer's account to this code by a signed authorization (EIP-7702). Every payer can do so. */
export async function delegate(
  rpc: Rpc,
  chainId: number,
  payer: FundedPayer,
  code: keyof typeof accountCode,
): Promise<void> {
  const delegate = Wallet.createRandom().address;
  await ask(rpc, 'anvil_setCode', [delegate, accountCode[code]]);
  const sponsor = Wallet.createRandom();
  await ask(rpc, 'anvil_setBalance', [sponsor.address, '0xde0b6b3a7640000']);
  const nonce = Number(await ask<string>(rpc, 'eth_getTransactionCount', [payer.address, 'latest']));
  const authorization = new Wallet(payer.privateKey).authorizeSync({ address: delegate, nonce, chainId });
  const raw = await sponsor.signTransaction({
    type: 4,
    chainId,
    nonce: 0,
    to: sponsor.address,
    gasLimit: 100_000n,
    maxFeePerGas: 50_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
    authorizationList: [authorization],
  });
  await ask(rpc, 'eth_sendRawTransaction', [raw]);
  await ask(rpc, 'evm_mine', []);
  const code7702 = await ask<string>(rpc, 'eth_getCode', [payer.address, 'latest']);
  if (!code7702.startsWith('0xef0100')) throw new Error(`the account has no delegation but ${code7702}`);
}

async function sendFromAnybody(rpc: Rpc, to: Address, data: string): Promise<void> {
  const { address: from } = Wallet.createRandom();
  await ask(rpc, 'anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await ask(rpc, 'anvil_impersonateAccount', [from]);
  await ask(rpc, 'eth_sendTransaction', [{ from, to, data }]);
  await ask(rpc, 'evm_mine', []);
}
