import { readFileSync } from 'node:fs';
import { createHttpRpc } from '../chain/http-rpc.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { type AnvilOptions, startAnvil } from './anvil.ts';
import { ask, createDeployer } from './deployer.ts';
import { freshKey, fundGas, gasFunds, type Key } from './funded-key.ts';
import { writeKeyFile } from './key-file.ts';
import { type LedgerNetwork, startLedgerNetwork } from './ledger-network.ts';

/** A million tokens: more than any demo needs, and every sum stays far below 63 bits. */
const payerFunds = atomicAmount(1_000_000_000_000n);
const callTimeoutMs = 10_000;
const responseBytesMax = 1_048_576;

export type DevnetOptions = {
  readonly chainId: number;
  /** Folder for the payer's key file. Without it, no file is written. */
  readonly dir?: string;
  /** Seconds between blocks, as on a real chain. Without it, every transaction is mined at once. */
  readonly blockTimeSeconds?: number;
  /** `kept` for tests that reorganise the chain; `pruned` (default) for a chain that runs for long. */
  readonly history?: AnvilOptions['history'];
  /** Old states that both chains keep (`AnvilOptions`). */
  readonly statesKeptMax?: number;
  /** The payment chain continues the state of this chain. Its blocks then stay fast (`AnvilOptions`). */
  readonly forkUrl?: string;
  /** Creation code of another token with the arguments of PaymentToken, for tests. */
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
  /** The recipient of payments. Its key is not kept, because tokens of a devnet need not be spent. */
  readonly payTo: Address;
  /** Key of an account with ether for gas and without tokens. */
  readonly relayerKey: Bytes32;
  readonly payer: FundedPayer & { readonly keyFile: string | null };
  /** The second chain, where proofs are recorded. */
  readonly ledger: LedgerNetwork;
  /** Mints tokens, in the smallest unit. Resolves when they are on the chain. */
  mintTo(holder: Address, amount: AtomicAmount): Promise<void>;
  /** Creates a payer with its own key, by default with a million tokens. */
  fundPayer(amount?: AtomicAmount): Promise<FundedPayer>;
  /** Ends both chains. May be called again. */
  stop(): Promise<void>;
};

/**
 * Starts a chain with a payment token, a relayer with gas and a payer with tokens, and a ledger network beside
 * it, in a fraction of a second. Every key is new. Throws when the platform has no anvil.
 */
export async function startDevnet({
  chainId,
  dir,
  history = 'pruned',
  tokenCode,
  forkUrl,
  ...rest
}: DevnetOptions): Promise<Devnet> {
  // Both start at the same time, because each mostly waits for its process.
  const [payments, ledger] = await Promise.allSettled([
    startPayments(chainId, tokenCode, { history, ...(forkUrl !== undefined && { forkUrl }), ...rest }),
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

/** Starts the payment chain, without a key file of its payer. */
async function startPayments(
  chainId: number,
  tokenCode: Hex | undefined,
  options: Omit<AnvilOptions, 'chainId'>,
): Promise<Omit<Devnet, 'ledger' | 'payer'> & { readonly payer: FundedPayer }> {
  const anvil = await startAnvil({ chainId, ...options });
  const rpc = createHttpRpc({ url: anvil.rpcUrl, timeoutMs: callTimeoutMs, responseBytesMax });
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

/** The terms of PaymentToken.sol. The test compares them with the contract. */
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
 * Deploys Multicall3 by its published transaction, signed once for every chain. Any account may send it, and
 * the contract gets the same address on every chain.
 */
async function deployMulticall(rpc: Rpc): Promise<void> {
  const raw = readFileSync(new URL('../contracts/multicall3.signedtx', import.meta.url), 'utf8').trim();
  await ask(rpc, 'anvil_setBalance', [multicallDeployer, `0x${gasFunds.toString(16)}`]);
  await ask(rpc, 'eth_sendRawTransaction', [raw]);
  await ask(rpc, 'evm_mine', []);
}

const multicallDeployer = '0x05f32b3cc3888453ff71b01135b34ff8e41263f2';
