import { Interface } from 'ethers';
import { type Found, found, missing } from '../types/found.ts';
import type { Rpc } from './rpc.ts';

const token = new Interface(['function symbol() view returns (string)']);

/** The symbol of a token (ERC-20). A token need not have one. */
export async function readSymbol(rpc: Rpc, asset: string): Promise<Found<string>> {
  const data = token.encodeFunctionData('symbol');
  const called = await rpc.call('eth_call', [{ to: asset, data }, 'latest']);
  if (!called.ok) return called;
  try {
    return found(String(token.decodeFunctionResult('symbol', String(called.value))[0]));
  } catch {
    return missing(`the token ${asset} has no symbol`);
  }
}
