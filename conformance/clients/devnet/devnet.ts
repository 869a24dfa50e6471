import { setTimeout as delay } from 'node:timers/promises';
import { chainId } from '@paid-inference/contract/constants';
import { AbiCoder, hexlify, Interface, randomBytes, toQuantity, Wallet } from 'ethers';
import { createRpc, parseQuantity } from '../../chain/rpc.ts';
import { member } from '../../wire/base64-json.ts';
import { identify, type SentPayment } from '../wire.ts';
import { startAnvil } from './anvil.ts';
import token from './token.json' with { type: 'json' };

export const tokenName = 'Devnet Dollar';
const fundsUnits = 1_000_000_000_000n;
const rpcLimits = { timeoutMs: 10_000, responseBytesMax: 1_000_000 };
const receiptDeadlineMs = 10_000;
const pollMs = 5;
const gas = toQuantity(3_000_000);

const tokenInterface = new Interface([
  'function mint(address to, uint256 value)',
  'function balanceOf(address holder) view returns (uint256)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);

/** A chain with a payment token and a funded payer, for one run. */
export type Devnet = {
  readonly rpcUrl: string;
  readonly token: string;
  readonly payer: { readonly address: string; readonly privateKey: string };
  /** Transfers the tokens once. Returns the hash of the transaction; undefined if the token refuses it. */
  settle(payment: SentPayment): Promise<string | undefined>;
  /** The units that left the payer's account. */
  spentUnits(): Promise<bigint>;
  stop(): Promise<void>;
};

/** Starts the chain, deploys the token, and funds a new payer. Throws with the reason if it cannot start. */
export async function startDevnet(): Promise<Devnet> {
  const { rpcUrl, stop } = await startAnvil(chainId);
  try {
    return { rpcUrl, stop, ...(await openToken(rpcUrl)) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openToken(rpcUrl: string): Promise<Omit<Devnet, 'rpcUrl' | 'stop'>> {
  const call = callOf(rpcUrl);
  const { address, privateKey } = Wallet.createRandom();
  const owner = hexlify(randomBytes(20));
  const settled = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();

  /** Sends one transaction at a time, because the chain numbers those of one sender. */
  function send(to: string | undefined, data: string): Promise<Mined> {
    const sent = last.then(async () => {
      const hash = String(await call('eth_sendTransaction', [{ from: owner, to, data, gas }]));
      return waitForReceipt(call, hash);
    });
    // A failed transaction must not stop the later ones.
    last = sent.catch(() => undefined);
    return sent;
  }

  // The owner has no key: the chain lets every caller send in its name.
  await call('anvil_autoImpersonateAccount', [true]);
  await call('anvil_setBalance', [owner, toQuantity(10n ** 24n)]);
  const values = AbiCoder.defaultAbiCoder().encode(
    ['string', 'string', 'address'],
    [tokenName, 'USDX', owner],
  );
  const { contract } = await send(undefined, token.bytecode + values.slice(2));
  await send(contract, tokenInterface.encodeFunctionData('mint', [address, fundsUnits]));

  async function transfer({ authorization, signature }: SentPayment): Promise<string | undefined> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const given = [from, to, value, validAfter, validBefore, nonce, signature];
    const data = tokenInterface.encodeFunctionData('transferWithAuthorization', given);
    const { hash, isDone } = await send(contract, data);
    return isDone ? hash : undefined;
  }

  return {
    token: contract,
    payer: { address, privateKey },
    async settle(payment) {
      const known = settled.get(identify(payment));
      if (known !== undefined) return known;
      const hash = await transfer(payment);
      if (hash !== undefined) settled.set(identify(payment), hash);
      return hash;
    },
    async spentUnits() {
      const data = tokenInterface.encodeFunctionData('balanceOf', [address]);
      const balance = await call('eth_call', [{ to: contract, data }, 'latest']);
      return fundsUnits - BigInt(String(balance));
    },
  };
}

type Call = (method: string, params: readonly unknown[]) => Promise<unknown>;
type Mined = { readonly hash: string; readonly isDone: boolean; readonly contract: string };

function callOf(rpcUrl: string): Call {
  const rpc = createRpc(rpcUrl, 'the devnet', rpcLimits);
  return async (method, params) => {
    const result = await rpc.call(method, params);
    if (!result.ok) throw new Error(result.verdict.reason);
    return result.value;
  };
}

async function waitForReceipt(call: Call, hash: string): Promise<Mined> {
  for (let waitedMs = 0; waitedMs < receiptDeadlineMs; waitedMs += pollMs) {
    const receipt = await call('eth_getTransactionReceipt', [hash]);
    if (receipt !== null) {
      const isDone = parseQuantity(member(receipt, 'status')) === 1n;
      return { hash, isDone, contract: String(member(receipt, 'contractAddress')) };
    }
    await delay(pollMs);
  }
  throw new Error(`the devnet made no block for ${hash}`);
}
