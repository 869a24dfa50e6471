import { randomBytes } from 'node:crypto';
import { Interface, Wallet } from 'ethers';
import type { Rpc } from '../../chain/rpc.ts';
import { ask } from '../../devnet/deployer.ts';
import type { Devnet, FundedPayer } from '../../devnet/devnet.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../../types/units.ts';
import artifact from '../contracts/artifacts/TestWallet.json' with { type: 'json' };

/** The conducts of `TestWallet`, by their numbers. */
const conducts = [
  'honest',
  'burnsGas',
  'burnsGasInTransactions',
  'revertsInTransactions',
  'revertsWithMuchData',
  'returnsMuchData',
  'reenters',
  'takesEvenBlocks',
] as const;
export type WalletConduct = (typeof conducts)[number];

const wallet = new Interface(artifact.abi);

/** A deployed contract wallet with tokens. `privateKey` is that of its owner. */
export type TestWallet = FundedPayer;

/** Deploys a contract wallet with an owner of its own, and gives it tokens. */
export async function deployTestWallet(
  rpc: Rpc,
  devnet: Pick<Devnet, 'mintTo'>,
  conduct: WalletConduct = 'honest',
  funds: AtomicAmount = atomicAmount(1_000_000n),
): Promise<TestWallet> {
  const privateKey = `0x${randomBytes(32).toString('hex')}` as Bytes32;
  const owner = new Wallet(privateKey).address;
  const data = `${artifact.bytecode}${wallet.encodeDeploy([owner]).slice(2)}`;
  const { contractAddress } = await sendFromAnybody(rpc, { data });
  const address = contractAddress.toLowerCase() as Address;
  if (conduct !== 'honest') await setConduct(rpc, address, conduct);
  await devnet.mintTo(address, funds);
  return { address, privateKey };
}

/** Changes the conduct of a wallet. */
export async function setConduct(rpc: Rpc, address: Address, conduct: WalletConduct): Promise<void> {
  const data = wallet.encodeFunctionData('setConduct', [conducts.indexOf(conduct)]);
  await sendFromAnybody(rpc, { to: address, data });
}

/** The signature of a wallet from that of its owner: longer than that of a key, as with a passkey. */
export function signatureOfWallet(ownersSignature: string, extraBytes = 200): Hex {
  return `${ownersSignature}${'5e'.repeat(extraBytes)}` as Hex;
}

async function sendFromAnybody(
  rpc: Rpc,
  transaction: { readonly to?: Address; readonly data: string },
): Promise<{ readonly contractAddress: string }> {
  const { address: from } = Wallet.createRandom();
  await ask(rpc, 'anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await ask(rpc, 'anvil_impersonateAccount', [from]);
  const hash = await ask(rpc, 'eth_sendTransaction', [{ from, ...transaction, gas: '0x1e8480' }]);
  await ask(rpc, 'evm_mine', []);
  return ask(rpc, 'eth_getTransactionReceipt', [hash]);
}
