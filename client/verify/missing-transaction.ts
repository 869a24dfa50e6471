import type { AcceptedPayload } from '@paid-inference/contract/types';
import { id, type JsonRpcProvider, makeError, zeroPadValue } from 'ethers';
import { cannotTell, type Finding, fails } from './finding.ts';
import { isSameHex } from './hex.ts';
import { shown } from './key.ts';
import { isSignedFor } from './payer-signature.ts';

/**
 * The response leaves after the payment is in a block. Clocks of chain and gateway may differ by this many
 * seconds.
 */
const settledSeconds = 60;

/** The newest block of a node. */
export type Head = { readonly number: number; readonly timestamp: number };

export async function readHead(provider: JsonRpcProvider): Promise<Head> {
  const block = await provider.getBlock('latest');
  if (block === null) throw makeError('it returned no latest block', 'BAD_DATA', { value: null });
  return block;
}

/**
 * The node has no transaction with this hash, and had block `head` before the question. The result is false
 * when another transaction used the nonce, or when the node has blocks after the time of the settlement.
 * Otherwise it is unknown. `soldAt` is the time of the inference in Unix seconds; null when it is unknown.
 */
export async function checkMissing(
  txHash: string,
  payload: AcceptedPayload,
  provider: JsonRpcProvider,
  head: Head,
  soldAt: number | null,
): Promise<Finding> {
  const lacks = `the chain has no transaction ${txHash}`;
  const other = await findUse(provider, payload);
  if (other !== null) return fails(`${lacks}: this payment was settled by ${other}`);
  const unusableAt = Number(payload.authorization.validBefore);
  const settledBy = Math.min(unusableAt, soldAt === null ? unusableAt : soldAt + settledSeconds);
  if (head.timestamp >= settledBy) return fails(lacks);
  return cannotTell(`${lacks} yet: its node is at block ${head.number} (${shown(head.timestamp)})`);
}

/**
 * The transaction that used the nonce at a token that the payer signed for. Null when there is none or the node
 * refuses.
 */
async function findUse(provider: JsonRpcProvider, payload: AcceptedPayload): Promise<string | null> {
  const { from, nonce } = payload.authorization;
  const topics = [id('AuthorizationUsed(address,bytes32)'), zeroPadValue(from.toLowerCase(), 32), nonce];
  try {
    for (const log of await provider.getLogs({ topics, fromBlock: 0, toBlock: 'latest' })) {
      const isUse = isSameHex(log.topics[2] ?? '', nonce) && isSameHex(log.topics[0] ?? '', topics[0] ?? '');
      if (isUse && (await isSignedFor(provider, log.address, payload))) return log.transactionHash;
    }
  } catch {
    // Many nodes refuse such a long range. The time of the newest block then decides.
  }
  return null;
}
