import type { AcceptedPayload } from '@paid-inference/contract/types';
import { id, type JsonRpcProvider, makeError, zeroPadValue } from 'ethers';
import { cannotTell, type Finding, fails } from './finding.ts';
import { isSameHex } from './hex.ts';
import { shown } from './key.ts';
import { isSignedFor } from './payer-signature.ts';

/** An answer is sent when its payment is in a block; the clocks of chain and gateway may differ by this much. */
const settledSeconds = 60;

/** How far a node has got. */
export type Head = { readonly number: number; readonly timestamp: number };

export async function headOf(provider: JsonRpcProvider): Promise<Head> {
  const block = await provider.getBlock('latest');
  if (block === null) throw makeError('it has no latest block', 'BAD_DATA', { value: null });
  return block;
}

/**
 * The node has no transaction of this hash, and had `head` before it was asked. That is false where it has got past the
 * payment: it has another transaction that used the nonce, or blocks from after the time at which it was settled or could
 * be. `soldAt` is when the inference was made, in Unix seconds; null where nothing says it.
 */
export async function checkMissing(
  txHash: string,
  payload: AcceptedPayload,
  provider: JsonRpcProvider,
  head: Head,
  soldAt: number | null,
): Promise<Finding> {
  const lacks = `the chain knows no transaction ${txHash}`;
  const other = await findUse(provider, payload);
  if (other !== null) return fails(`${lacks}: this payment was settled by ${other}`);
  const unusableAt = Number(payload.authorization.validBefore);
  const settledBy = Math.min(unusableAt, soldAt === null ? unusableAt : soldAt + settledSeconds);
  if (head.timestamp >= settledBy) return fails(lacks);
  return cannotTell(`${lacks} yet: its node is at block ${head.number}, of ${shown(head.timestamp)}`);
}

/** The transaction that used the nonce, at a token that the payer signed for. Null where the node finds none, or refuses. */
async function findUse(provider: JsonRpcProvider, payload: AcceptedPayload): Promise<string | null> {
  const { from, nonce } = payload.authorization;
  const topics = [id('AuthorizationUsed(address,bytes32)'), zeroPadValue(from.toLowerCase(), 32), nonce];
  try {
    for (const log of await provider.getLogs({ topics, fromBlock: 0, toBlock: 'latest' })) {
      const isUse = isSameHex(log.topics[2] ?? '', nonce) && isSameHex(log.topics[0] ?? '', topics[0] ?? '');
      if (isUse && (await isSignedFor(provider, log.address, payload))) return log.transactionHash;
    }
  } catch {
    // Many nodes refuse so long a range. The time of its blocks says enough.
  }
  return null;
}
