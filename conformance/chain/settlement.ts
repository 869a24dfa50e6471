import { Interface, id, zeroPadValue } from 'ethers';
import type { Authorization } from '../payment/sign.ts';
import { type Found, found, missing } from '../types/found.ts';
import { isObject, member } from '../wire/base64-json.ts';
import { patiently, type Sleep } from './patiently.ts';
import { isSameHex, parseQuantity, type Rpc } from './rpc.ts';

/** A mined transaction of the test network. */
export type Settlement = { readonly succeeded: boolean; readonly logs: readonly unknown[] };

/** How long the suite waits until its node sees a transaction, in seconds. */
export const settlementSecondsMax = 30;
/** A node with an older newest block lags, so it cannot show that a transaction is missing. */
const newestBlockSecondsMax = 300;

type Waiting = { readonly sleep: Sleep; readonly nowSeconds: () => number };

/**
 * Finds the receipt of a transaction on the test network (§1, §2.11). `unheard-of` if an up-to-date node has
 * neither mined the transaction nor holds it as pending.
 */
export async function findSettlement(
  rpc: Rpc,
  txHash: string,
  { sleep, nowSeconds }: Waiting,
  secondsMax = settlementSecondsMax,
): Promise<Found<Settlement | 'unheard-of'>> {
  const mined = await patiently(secondsMax, sleep, async () => {
    const receipt = await rpc.call('eth_getTransactionReceipt', [txHash]);
    if (!receipt.ok) return receipt;
    return found(isObject(receipt.value) ? readSettlement(receipt.value) : undefined);
  });
  if (!mined.ok) return mined;
  if (mined.value !== undefined) return found(mined.value);
  const transaction = await rpc.call('eth_getTransactionByHash', [txHash]);
  if (!transaction.ok) return transaction;
  if (isObject(transaction.value)) {
    return missing(
      `the transaction ${txHash} is pending, but was not mined within ${settlementSecondsMax} s`,
    );
  }
  const upToDate = await isUpToDate(rpc, nowSeconds());
  return upToDate.ok ? found('unheard-of') : upToDate;
}

/**
 * Finds many transactions, each once. All share one waiting time, because the wait for one is also time for the
 * others.
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

/** Whether the logs show that the token used this authorization (EIP-3009). */
export function isUsedIn(logs: readonly unknown[], asset: string, { from, nonce }: Authorization): boolean {
  return logs.some((log) => isLog(log, asset, [authorizationUsed, writeTopic(from), nonce]));
}

/** Whether the logs show a transfer of exactly this value from the payer to the recipient (ERC-20). */
export function isMovedIn(logs: readonly unknown[], asset: string, authorization: Authorization): boolean {
  return timesMovedIn(logs, asset, authorization) > 0;
}

/** How many transfers of exactly this value from the payer to the recipient the logs show (ERC-20). */
export function timesMovedIn(logs: readonly unknown[], asset: string, authorization: Authorization): number {
  const { from, to, value } = authorization;
  return logs.filter(
    (log) =>
      isLog(log, asset, [transfer, writeTopic(from), writeTopic(to)]) &&
      parseQuantity(member(log, 'data')) === BigInt(value),
  ).length;
}

const token = new Interface([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
]);

/** Whether the token has used an authorization, in any transaction (EIP-3009). */
export async function isSpent(
  rpc: Rpc,
  asset: string,
  { from, nonce }: Authorization,
): Promise<Found<boolean>> {
  const data = token.encodeFunctionData('authorizationState', [from.toLowerCase(), nonce]);
  const look = () => rpc.call('eth_call', [{ to: asset, data }, 'latest']);
  const first = await look();
  // Some nodes refuse a call if a new block arrives while they process it, so the call is repeated once.
  const state = first.ok ? first : await look();
  if (!state.ok) return state;
  const written = parseQuantity(state.value);
  if (written === undefined) return missing(`the token ${asset} returned no authorizationState`);
  return found(written === 1n);
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

function writeTopic(address: string): string {
  return zeroPadValue(address.toLowerCase(), 32);
}

function readSettlement(receipt: Readonly<Record<string, unknown>>): Settlement {
  const { status, logs } = receipt;
  return { succeeded: parseQuantity(status) === 1n, logs: Array.isArray(logs) ? logs : [] };
}

async function isUpToDate(rpc: Rpc, nowSeconds: number): Promise<Found<true>> {
  const block = await rpc.call('eth_getBlockByNumber', ['latest', false]);
  if (!block.ok) return block;
  const mined = parseQuantity(member(block.value, 'timestamp'));
  const age = mined === undefined ? Number.POSITIVE_INFINITY : nowSeconds - Number(mined);
  if (age <= newestBlockSecondsMax) return found(true);
  return missing(`the node of --chain-rpc lags: its newest block is ${age} s old`);
}
