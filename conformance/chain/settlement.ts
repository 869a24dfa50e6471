import { Interface, id, zeroPadValue } from 'ethers';
import type { Authorization } from '../payment/sign.ts';
import { andThen, type Found, found, missing } from '../types/found.ts';
import { isObject, member } from '../wire/base64-json.ts';
import { patiently, type Sleep } from './patiently.ts';
import { isSameHex, quantityOf, type Rpc } from './rpc.ts';

/** What the test network has of a transaction. */
export type Settlement = { readonly succeeded: boolean; readonly logs: readonly unknown[] };

/** How long a transaction may take to be seen by a node that is not the target's. */
export const settlementSecondsMax = 30;
/** A node whose newest block is older is behind, and says nothing of what is new. */
const newestBlockSecondsMax = 300;

type Waiting = { readonly sleep: Sleep; readonly nowSeconds: () => number };

/**
 * The receipt of a transaction on the test network (contract 1, 2.11); `unheard-of` where a node that is up to date has
 * neither mined it nor waits to.
 */
export async function findSettlement(
  rpc: Rpc,
  txHash: string,
  { sleep, nowSeconds }: Waiting,
  secondsMax = settlementSecondsMax,
): Promise<Found<Settlement | 'unheard-of'>> {
  const mined = await patiently(secondsMax, sleep, () =>
    andThen(rpc.call('eth_getTransactionReceipt', [txHash]), (receipt) =>
      found(isObject(receipt) ? settlementOf(receipt) : undefined),
    ),
  );
  if (!mined.ok) return mined;
  if (mined.value !== undefined) return found(mined.value);
  return andThen(rpc.call('eth_getTransactionByHash', [txHash]), (transaction) =>
    isObject(transaction)
      ? missing(`the transaction ${txHash} was not mined within ${settlementSecondsMax} s`)
      : andThen(isUpToDate(rpc, nowSeconds()), () => found('unheard-of' as const)),
  );
}

/**
 * Looks for many transactions, for each of them once. They wait together, no longer than for one alone: while one is waited for,
 * the others have time too.
 */
export function settlementFinder(rpc: Rpc, { sleep, nowSeconds }: Waiting) {
  const known = new Map<string, Promise<Found<Settlement | 'unheard-of'>>>();
  let secondsLeft = settlementSecondsMax;
  const waiting: Waiting = {
    nowSeconds,
    sleep: (seconds) => {
      secondsLeft -= seconds;
      return sleep(seconds);
    },
  };
  return (txHash: string): Promise<Found<Settlement | 'unheard-of'>> => {
    const key = txHash.toLowerCase();
    const looked = known.get(key) ?? findSettlement(rpc, txHash, waiting, secondsLeft);
    known.set(key, looked);
    return looked;
  };
}

/** Whether these logs say that the token took this authorization (EIP-3009). */
export function isUsedIn(logs: readonly unknown[], asset: string, { from, nonce }: Authorization): boolean {
  return logs.some((log) => isLog(log, asset, [authorizationUsed, topicOf(from), nonce]));
}

/** Whether these logs say that exactly this value went from this payer to this payee (ERC-20). */
export function isMovedIn(logs: readonly unknown[], asset: string, authorization: Authorization): boolean {
  return timesMovedIn(logs, asset, authorization) > 0;
}

/** How often these logs say that exactly this value went from this payer to this payee (ERC-20). */
export function timesMovedIn(logs: readonly unknown[], asset: string, authorization: Authorization): number {
  const { from, to, value } = authorization;
  return logs.filter(
    (log) =>
      isLog(log, asset, [transfer, topicOf(from), topicOf(to)]) &&
      quantityOf(member(log, 'data')) === BigInt(value),
  ).length;
}

const token = new Interface([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);

/** Whether the token has taken an authorization, in whatever transaction (EIP-3009). */
export async function isSpent(
  rpc: Rpc,
  asset: string,
  { from, nonce }: Authorization,
): Promise<Found<boolean>> {
  const data = token.encodeFunctionData('authorizationState', [from.toLowerCase(), nonce]);
  const look = () => rpc.call('eth_call', [{ to: asset, data }, 'latest']);
  const first = await look();
  // Some nodes refuse a call where the newest block is no longer the newest by the time that they look into it.
  return andThen(first.ok ? Promise.resolve(first) : look(), (state) => {
    const written = quantityOf(state);
    return written === undefined
      ? missing(`${asset} does not say whether an authorization was used`)
      : found(written === 1n);
  });
}

const authorizationUsed = id('AuthorizationUsed(address,bytes32)');
const transfer = id('Transfer(address,address,uint256)');

function isLog(log: unknown, address: string, topics: readonly string[]): boolean {
  const written = member(log, 'topics');
  return (
    isSameHex(member(log, 'address'), address) &&
    Array.isArray(written) &&
    written.length === topics.length &&
    topics.every((topic, at) => isSameHex(written[at], topic))
  );
}

function topicOf(address: string): string {
  return zeroPadValue(address.toLowerCase(), 32);
}

function settlementOf(receipt: Readonly<Record<string, unknown>>): Settlement {
  const { status, logs } = receipt;
  return { succeeded: quantityOf(status) === 1n, logs: Array.isArray(logs) ? logs : [] };
}

function isUpToDate(rpc: Rpc, nowSeconds: number): Promise<Found<true>> {
  return andThen(rpc.call('eth_getBlockByNumber', ['latest', false]), (block) => {
    const mined = quantityOf(member(block, 'timestamp'));
    const age = mined === undefined ? Number.POSITIVE_INFINITY : nowSeconds - Number(mined);
    return age <= newestBlockSecondsMax
      ? found(true as const)
      : missing(`the newest block of the node of --chain-rpc is ${age} s old`);
  });
}
