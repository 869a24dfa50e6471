import { type Address, atomicAmount, type Bytes32, type Hex } from '../types/units.ts';
import { walletTransferCalldata } from './calldata.ts';
import { aggregateCalldata, multicallAddress, parseAggregate } from './multicall.ts';
import type { Rpc } from './rpc.ts';

/**
 * Checks that the token has the overload of `transferWithAuthorization` with `bytes signature`, which contract wallets
 * need (FiatToken v2.2). A token with the overload gives a reason why it rejects an empty signature, and no such
 * reason for a function that it lacks. The code of a proxy would not show its functions. Returns a sentence for the
 * operator, or null for a token that has it.
 */
export async function checkWalletTransfers(rpc: Rpc, asset: Address): Promise<string | null> {
  const data = walletTransferCalldata(neverSigned, '0x' as Hex);
  const unknown = `${unknownSelector}${data.slice(unknownSelector.length)}` as Hex;
  const calls = [data, unknown].map((each) => ({ to: asset, data: each }));
  const call = { to: multicallAddress, data: aggregateCalldata(calls) };
  const response = await rpc.call<unknown>('eth_call', [call, 'latest']);
  const results = response.ok ? parseAggregate(response.value, calls.length) : null;
  const [overload, none] = results ?? [];
  if (overload === undefined || none === undefined)
    return `The gateway cannot check that the token at ${asset} takes the signatures of contract wallets, because the chain does not respond or has no Multicall3. Set advanced.contractWallets to false.`;
  const hasReason = !overload.success && overload.data.length > 2 && overload.data !== none.data;
  return hasReason
    ? null
    : `The token at ${asset} has no transferWithAuthorization with \`bytes signature\`, so contract wallets cannot pay with it. Set advanced.contractWallets to false.`;
}

/** A selector that no token has. */
const unknownSelector = '0xffffffff';

/** The zero address has no key and no code, so no token accepts this authorization. */
const neverSigned = {
  from: `0x${'00'.repeat(20)}` as Address,
  to: `0x${'00'.repeat(19)}01` as Address,
  value: atomicAmount(0n),
  validAfter: 0n,
  validBefore: (1n << 47n) - 1n,
  nonce: `0x${'00'.repeat(32)}` as Bytes32,
};
