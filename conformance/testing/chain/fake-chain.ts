import { AbiCoder, id, toBeHex, zeroPadValue } from 'ethers';
import type { Authorization } from '../../payment/sign.ts';
import { member } from '../../wire/base64-json.ts';

export type FakeLog = { address: string; topics: string[]; data: string };
export type FakeTransaction = { status: string; logs: FakeLog[] };

/** Deviations of a fake test network. */
export type ChainEdits = {
  readonly newestBlockAt?: number;
  /** Null for an unknown transaction. `place` counts the transactions of a run from 0. */
  readonly transaction?: (mined: FakeTransaction, place: number) => FakeTransaction | null;
  /** Each transaction settles all payments of the run. */
  readonly isOneForAll?: true;
  /** Identical logs occur only once in a transaction. */
  readonly isEachLogOnce?: true;
  /** `authorizationState` returns false for every authorization. */
  readonly isForgetful?: true;
  /** Transactions stay pending. */
  readonly isStuck?: true;
  /** The node returns only errors after `eth_chainId`. */
  readonly isGoneSoon?: true;
};

/** The symbol of every token on the fake node. */
export const fakeSymbol = 'SIT';

/** A block time of the year 2100, so that the node never lags. */
const farAhead = 4_102_444_800;

/** A fake node that knows the transfers given to it, with the methods that the suite calls. */
export function createFakeChain(edits: ChainEdits) {
  const transactions = new Map<string, FakeTransaction>();
  const spentNonces = new Set<string>();
  const findPlace = (txHash: unknown) => [...transactions.keys()].indexOf(String(txHash));
  const allLogs = () => [...transactions.values()].flatMap(({ logs }) => logs);
  return {
    settle(txHash: string, asset: string, { from, to, value, nonce }: Authorization): void {
      const writeTopic = (address: string) => zeroPadValue(address.toLowerCase(), 32);
      spentNonces.add(nonce.slice(2).toLowerCase());
      const logs = [
        {
          address: asset,
          topics: [id('AuthorizationUsed(address,bytes32)'), writeTopic(from), nonce],
          data: '0x',
        },
        {
          address: asset,
          topics: [id('Transfer(address,address,uint256)'), writeTopic(from), writeTopic(to)],
          data: toBeHex(BigInt(value), 32),
        },
      ];
      transactions.set(txHash, { status: '0x1', logs });
    },
    respond(method: string, [given]: readonly unknown[]): unknown {
      if (edits.isGoneSoon && method !== 'eth_chainId') return undefined;
      const mined = transactions.get(String(given));
      switch (method) {
        case 'eth_chainId':
          return toBeHex(84_532);
        case 'eth_getTransactionReceipt':
          if (!mined || edits.isStuck) return null;
          if (edits.isOneForAll)
            return { ...mined, logs: edits.isEachLogOnce ? distinct(allLogs()) : allLogs() };
          return edits.transaction ? edits.transaction(structuredClone(mined), findPlace(given)) : mined;
        case 'eth_getTransactionByHash':
          return mined && edits.isStuck ? { hash: given } : null;
        case 'eth_getBlockByNumber':
          return { timestamp: toBeHex(edits.newestBlockAt ?? farAhead) };
        case 'eth_call': {
          const data = String(member(given, 'data'));
          if (data === id('symbol()').slice(0, 10)) return encodeText(fakeSymbol);
          // The suite calls no other function than `authorizationState`, whose last word is the nonce.
          const isSpent = spentNonces.has(data.slice(-64).toLowerCase());
          return toBeHex(isSpent && !edits.isForgetful ? 1 : 0, 32);
        }
        default:
          return undefined;
      }
    },
  };
}

function encodeText(text: string): string {
  return AbiCoder.defaultAbiCoder().encode(['string'], [text]);
}

function distinct(logs: readonly FakeLog[]): readonly FakeLog[] {
  return [...new Map(logs.map((log) => [JSON.stringify(log), log])).values()];
}
