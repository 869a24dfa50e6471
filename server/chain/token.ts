import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type AtomicAmount, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { authorizationStateCalldata, balanceOfCalldata, domainSeparatorCalldata } from './calldata.ts';
import { quantity } from './chain-view.ts';
import { createGatheredCall } from './gathered-call.ts';
import type { Rpc, RpcFault } from './rpc.ts';
import { parseWord, type Word } from './word.ts';

/**
 * The state to read. `latest` is the newest block. `pending` adds the transactions that the node is about to
 * include, so that a payment on its way counts already. A number is the state after that block; a node keeps it for
 * some blocks only.
 */
type Block = 'latest' | 'pending' | number;

export interface PaymentToken {
  /** Reads the holder's balance, in the token's smallest unit. */
  balanceOf(holder: Address, block?: Block): Promise<Result<AtomicAmount, RpcFault>>;
  /** Reads whether the payer's nonce is spent. Only the logs tell a payment from a cancellation. */
  authorizationState(payer: Address, nonce: Bytes32, block?: Block): Promise<Result<boolean, RpcFault>>;
  /** Reads the separator that the token uses in every digest. */
  domainSeparator(): Promise<Result<Bytes32, RpcFault>>;
}

/**
 * Reads the payment token over JSON-RPC, by default at `latest`. A result of another shape counts as
 * `unavailable`: where no contract exists, a node returns zero bytes and no error. With `isGathered`, readings at `latest`
 * share calls of Multicall3, which the chain must have.
 */
export function createPaymentToken({
  rpc,
  asset,
  isGathered = false,
}: {
  readonly rpc: Rpc;
  readonly asset: Address;
  readonly isGathered?: boolean;
}): PaymentToken {
  const gathered = isGathered ? createGatheredCall(rpc, asset) : null;

  async function read<T>(
    data: Hex,
    block: Block,
    parse: (word: Word) => T | null,
  ): Promise<Result<T, RpcFault>> {
    const state = typeof block === 'number' ? quantity(block) : block;
    const response =
      gathered && block === 'latest'
        ? await gathered(data)
        : await rpc.call<unknown>('eth_call', [{ to: asset, data }, state]);
    if (!response.ok) return response;
    const word = parseWord(response.value);
    const value = word === null ? null : parse(word);
    if (value === null) {
      return fail({
        kind: 'unavailable',
        message: `the contract at ${asset} does not return what the payment token would`,
      });
    }
    return ok(value);
  }

  return {
    balanceOf: (holder, block = 'latest') =>
      read(balanceOfCalldata(holder), block, (word) => atomicAmount(BigInt(`0x${word}`))),
    authorizationState: (payer, nonce, block = 'latest') =>
      read(authorizationStateCalldata(payer, nonce), block, parseFlag),
    domainSeparator: () => read(domainSeparatorCalldata(), 'latest', (word) => `0x${word}` as Bytes32),
  };
}

function parseFlag(word: Word): boolean | null {
  const number = BigInt(`0x${word}`);
  return number > 1n ? null : number === 1n;
}
