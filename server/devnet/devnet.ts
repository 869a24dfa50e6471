import { readFileSync } from 'node:fs';
import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { type AnvilOptions, startAnvil } from './anvil.ts';
import { ask, createDeployer } from './deployer.ts';
import { freshKey, fundGas, gasFunds, type Key } from './funded-key.ts';
import { writeKeyFile } from './key-file.ts';
import { type LedgerNetwork, startLedgerNetwork } from './ledger-network.ts';

/** A million tokens: the demo never runs out, and sums stay far inside 63 bits. */
const payerFunds = atomicAmount(1_000_000_000_000n);
const callTimeoutMs = 10_000;
const answerBytesMax = 1_048_576;

export type DevnetOptions = {
  readonly chainId: number;
  /** Where the payer's key is written for the client to find; nowhere when absent. */
  readonly dir?: string;
  /** A block every so many seconds, as on a real chain; without it, every transaction is mined at once. */
  readonly blockTimeSeconds?: number;
  /** `kept` for tests that reorganise the chain; `pruned`, the default, for a chain that runs for long. */
  readonly history?: AnvilOptions['history'];
  /** Creation code of another token, which takes the arguments of PaymentToken; for tests. */
  readonly tokenCode?: Hex;
};

export type FundedPayer = Key;

export type Devnet = {
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly token: {
    readonly address: Address;
    readonly name: string;
    readonly version: string;
    readonly symbol: string;
    readonly decimals: number;
  };
  /** Where payments go. Nobody holds its key: what is paid on a devnet need never be spent. */
  readonly payTo: Address;
  /** Has ether for gas and no tokens. */
  readonly relayerKey: Bytes32;
  readonly payer: FundedPayer & { readonly keyFile: string | null };
  /** The second chain, where proofs are recorded. */
  readonly ledger: LedgerNetwork;
  /** Mints tokens, in the smallest unit; on the chain when it resolves. */
  mintTo(holder: Address, amount: AtomicAmount): Promise<void>;
  /** One more payer, with a key of its own and a million tokens unless told otherwise. */
  fundPayer(amount?: AtomicAmount): Promise<FundedPayer>;
  /** Ends both chains. May be called again. */
  stop(): Promise<void>;
};

/**
 * Starts a chain of our own with a payment token, a relayer that can pay for gas and a payer that can pay for inference,
 * and a ledger network beside it, within a fraction of a second. Every key is fresh. Throws when the platform has no anvil.
 */
export async function startDevnet({
  chainId,
  dir,
  history = 'pruned',
  tokenCode,
  ...rest
}: DevnetOptions): Promise<Devnet> {
  // At the same time: each spends most of it waiting for its process.
  const [payments, ledger] = await Promise.allSettled([
    startPayments(chainId, tokenCode, { history, ...rest }),
    startLedgerNetwork({ history, ...rest }),
  ]);
  async function stop(): Promise<void> {
    const started = [payments, ledger].filter((each) => each.status === 'fulfilled');
    await Promise.all(started.map(({ value }) => value.stop()));
  }
  try {
    if (payments.status === 'rejected') throw payments.reason;
    if (ledger.status === 'rejected') throw ledger.reason;
    const { payer, ...chain } = payments.value;
    const keyFile = dir === undefined ? null : await writeKeyFile(dir, 'payer.key', payer.privateKey);
    return { ...chain, payer: { ...payer, keyFile }, ledger: ledger.value.network, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The chain that payments settle on, without a file of its payer's key. */
async function startPayments(
  chainId: number,
  tokenCode: Hex | undefined,
  options: Omit<AnvilOptions, 'chainId'>,
): Promise<Omit<Devnet, 'ledger' | 'payer'> & { readonly payer: FundedPayer }> {
  const anvil = await startAnvil({ chainId, ...options });
  const rpc = createHttpRpc({ url: anvil.rpcUrl, timeoutMs: callTimeoutMs, answerBytesMax });
  async function stop(): Promise<void> {
    await rpc.close();
    await anvil.stop();
  }
  try {
    const { mintTo, address } = await issueToken(rpc, chainId, tokenCode);
    await deployMulticall(rpc);
    const relayer = freshKey();
    await fundGas(rpc, relayer.address);
    const fundPayer = async (amount = payerFunds) => {
      const payer = freshKey();
      await mintTo(payer.address, amount);
      return payer;
    };
    return {
      rpcUrl: anvil.rpcUrl,
      chainId,
      token: { address, ...tokenTerms },
      payTo: freshKey().address,
      relayerKey: relayer.privateKey,
      payer: await fundPayer(),
      mintTo,
      fundPayer,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As PaymentToken.sol has them; the test asks the contract. */
const tokenTerms = { name: 'Test Payment Token', version: '1', symbol: 'TPT', decimals: 6 } as const;

async function issueToken(rpc: Rpc, chainId: number, tokenCode: Hex | undefined) {
  const { address: owner, privateKey } = freshKey();
  await fundGas(rpc, owner);
  const deployer = createDeployer({ rpc, chainId, owner, privateKey });
  const address = await deployer.deployToken(tokenTerms.name, tokenTerms.symbol, tokenCode);
  const mintTo = (holder: Address, amount: AtomicAmount) => deployer.mint(address, holder, amount);
  return { address, mintTo };
}

/**
 * Multicall3 by its published transaction, signed once for every chain: anybody may send it, and it makes the contract at
 * the address that it has everywhere.
 */
async function deployMulticall(rpc: Rpc): Promise<void> {
  const raw = readFileSync(new URL('../contracts/multicall3.signedtx', import.meta.url), 'utf8').trim();
  await ask(rpc, 'anvil_setBalance', [multicallDeployer, `0x${gasFunds.toString(16)}`]);
  await ask(rpc, 'eth_sendRawTransaction', [raw]);
  await ask(rpc, 'evm_mine', []);
}

const multicallDeployer = '0x05f32b3cc3888453ff71b01135b34ff8e41263f2';
