import { id, toBeHex, zeroPadValue } from 'ethers';
import type { Authorization } from '../payment/sign.ts';
import { member } from '../wire/base64-json.ts';

export type FakeLog = { address: string; topics: string[]; data: string };
export type FakeTransaction = { status: string; logs: FakeLog[] };

/** How a test network is made to differ from one that keeps what it is told. */
export type ChainEdits = {
  readonly newestBlockAt?: number;
  /** Null for a transaction that nobody has heard of. The first of a run is at the place 0. */
  readonly transaction?: (mined: FakeTransaction, place: number) => FakeTransaction | null;
  /** Each transaction settles all payments of the run. */
  readonly isOneForAll?: true;
  /** What looks alike in a transaction is in it once. */
  readonly isEachLogOnce?: true;
  /** The token says of no authorization that it was used. */
  readonly isForgetful?: true;
  /** Transactions are known and never mined. */
  readonly isStuck?: true;
  /** Once it has said of which chain it is, it answers nothing. */
  readonly isGoneSoon?: true;
};

/** Never behind, whatever the time is: the year 2100. */
const farAhead = 4_102_444_800;

/** A node that knows the transfers it is told of: enough of the test network for one who only asks. */
export function createFakeChain(edits: ChainEdits) {
  const transactions = new Map<string, FakeTransaction>();
  const spentNonces = new Set<string>();
  const placeOf = (txHash: unknown) => [...transactions.keys()].indexOf(String(txHash));
  const allLogs = () => [...transactions.values()].flatMap(({ logs }) => logs);
  return {
    settle(txHash: string, asset: string, { from, to, value, nonce }: Authorization): void {
      const topicOf = (address: string) => zeroPadValue(address.toLowerCase(), 32);
      spentNonces.add(nonce.slice(2).toLowerCase());
      const logs = [
        {
          address: asset,
          topics: [id('AuthorizationUsed(address,bytes32)'), topicOf(from), nonce],
          data: '0x',
        },
        {
          address: asset,
          topics: [id('Transfer(address,address,uint256)'), topicOf(from), topicOf(to)],
          data: toBeHex(BigInt(value), 32),
        },
      ];
      transactions.set(txHash, { status: '0x1', logs });
    },
    answer(method: string, [given]: readonly unknown[]): unknown {
      if (edits.isGoneSoon && method !== 'eth_chainId') return undefined;
      const mined = transactions.get(String(given));
      switch (method) {
        case 'eth_chainId':
          return toBeHex(84_532);
        case 'eth_getTransactionReceipt':
          if (!mined || edits.isStuck) return null;
          if (edits.isOneForAll)
            return { ...mined, logs: edits.isEachLogOnce ? distinct(allLogs()) : allLogs() };
          return edits.transaction ? edits.transaction(structuredClone(mined), placeOf(given)) : mined;
        case 'eth_getTransactionByHash':
          return mined && edits.isStuck ? { hash: given } : null;
        case 'eth_getBlockByNumber':
          return { timestamp: toBeHex(edits.newestBlockAt ?? farAhead) };
        case 'eth_call': {
          // Nothing else is called here than `authorizationState`, whose last word is the nonce.
          const isSpent = spentNonces.has(String(member(given, 'data')).slice(-64).toLowerCase());
          return toBeHex(isSpent && !edits.isForgetful ? 1 : 0, 32);
        }
        default:
          return undefined;
      }
    },
  };
}

function distinct(logs: readonly FakeLog[]): readonly FakeLog[] {
  return [...new Map(logs.map((log) => [JSON.stringify(log), log])).values()];
}
