import { setTimeout as wait } from 'node:timers/promises';
import { computeSelector, encodeValues, textTail } from '../chain/abi.ts';
import type { Rpc } from '../chain/rpc.ts';
import { signTransaction, type UnsignedTransaction } from '../chain/transaction.ts';
import { addressWord, uint256Word } from '../chain/word.ts';
import ledgerArtifact from '../contracts/artifacts/InferenceLedger.json' with { type: 'json' };
import tokenArtifact from '../contracts/artifacts/PaymentToken.json' with { type: 'json' };
import {
  type Address,
  type AtomicAmount,
  type Bytes32,
  type Hex,
  parseAddress,
  parseHex,
} from '../types/units.ts';

const receiptDeadlineMs = 10_000;
const pollIntervalMs = 5;
/** A deployment takes 1.5 million gas. A higher limit costs nothing on the devnet. */
const gasLimit = 3_000_000n;
const maxFeePerGas = 100_000_000_000n;
const maxPriorityFeePerGas = 1_000_000_000n;

export interface Deployer {
  /** Deploys a payment token that this deployer owns and can mint; by default PaymentToken. */
  deployToken(name: string, symbol: string, code?: Hex): Promise<Address>;
  mint(token: Address, to: Address, amount: AtomicAmount): Promise<void>;
  /** Deploys an inference ledger with this deployer as admin and the relayer as writer. */
  deployLedger(relayer: Address): Promise<Address>;
}

/**
 * Creates the owner of the devnet's contracts. It sends its transactions in sequence, and each promise resolves
 * when its transaction is in a block. Throws when the chain refuses, which is a defect on a devnet.
 */
export function createDeployer({
  rpc,
  chainId,
  owner,
  privateKey,
}: {
  readonly rpc: Rpc;
  readonly chainId: number;
  readonly owner: Address;
  readonly privateKey: Bytes32;
}): Deployer {
  let lastSend: Promise<unknown> = Promise.resolve();

  function send(transaction: Pick<UnsignedTransaction, 'to' | 'data'>): Promise<Receipt> {
    const sent = lastSend.then(async () => {
      const nonce = Number(await ask<string>(rpc, 'eth_getTransactionCount', [owner, 'pending']));
      const fees = { gasLimit, maxFeePerGas, maxPriorityFeePerGas };
      const signed = signTransaction(privateKey, { chainId, nonce, ...fees, ...transaction });
      await ask(rpc, 'eth_sendRawTransaction', [signed.raw]);
      // Mines at once, also on a chain with a block time.
      await ask(rpc, 'evm_mine', []);
      return await waitForReceipt(rpc, signed.hash);
    });
    // A failed transaction must not stop the later ones.
    lastSend = sent.catch(() => undefined);
    return sent;
  }

  async function deploy(bytecode: string, values: Parameters<typeof encodeValues>[0]): Promise<Address> {
    const receipt = await send({ to: null, data: hex(bytecode + encodeValues(values)) });
    const address = parseAddress(receipt.contractAddress ?? '');
    if (address === null) throw new Error('the deployment made no contract');
    return address;
  }

  return {
    deployToken: (name, symbol, code = hex(tokenArtifact.bytecode)) =>
      deploy(code, [textTail(name), textTail(symbol), addressWord(owner)]),
    async mint(asset, to, amount) {
      const values = encodeValues([addressWord(to), uint256Word(amount)]);
      await send({ to: asset, data: hex(computeSelector('mint(address,uint256)') + values) });
    },
    deployLedger: (relayer) => deploy(ledgerArtifact.bytecode, [owner, relayer].map(addressWord)),
  };
}

type Receipt = { readonly status: string; readonly contractAddress: string | null };

/**
 * Waits for the block with a transaction. ethers would wait for the next block, and a chain that makes blocks only with
 * transactions may never make one. Throws when the transaction failed, or is in no block in time.
 */
export async function waitForReceipt(rpc: Rpc, hash: string): Promise<Receipt> {
  const deadline = performance.now() + receiptDeadlineMs;
  for (;;) {
    const receipt = await ask<Receipt | null>(rpc, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.status === '0x1') return receipt;
    if (receipt !== null) throw new Error('the devnet reverted the transaction');
    if (performance.now() > deadline) throw new Error('the devnet did not mine the transaction');
    await wait(pollIntervalMs);
  }
}

/** Calls a method of the devnet. Throws on a failure. */
export async function ask<T>(rpc: Rpc, method: string, params: readonly unknown[]): Promise<T> {
  const response = await rpc.call<T>(method, params);
  if (!response.ok) throw new Error(`the devnet rejected ${method}: ${response.fault.message}`);
  return response.value;
}

function hex(text: string): Hex {
  const parsed = parseHex(text);
  if (parsed === null) throw new Error('the text is not hex');
  return parsed;
}
