import { blocksPerQuery, quantity, readHead, readMined } from '../chain/chain-view.ts';
import type { Rpc } from '../chain/rpc.ts';
import { listReceived, topic } from '../chain/token-logs.ts';
import { addressWord } from '../chain/word.ts';
import type { Log } from '../observe/log.ts';
import type { PaymentOutcome, Store } from '../store/store.ts';
import { type Address, type Bytes32, parseBytes32 } from '../types/units.ts';

/** The payments of a store. */
type KnownPayments = {
  lookUp(asset: Address, payer: Address, nonce: Bytes32): Promise<Pick<PaymentOutcome, 'failure'> | null>;
};

/** What to search for payments of other stores. */
export type RecipientSearch = {
  readonly rpc: Rpc;
  readonly store: KnownPayments;
  readonly asset: Address;
  readonly payTo: Address;
  /** The newest blocks that are searched. */
  readonly blocksMax: number;
  /** Most transactions to the recipient that are checked, newest first. */
  readonly transactionsMax: number;
};

export type RecipientPorts = Pick<RecipientSearch, 'rpc' | 'asset' | 'payTo'> & {
  readonly store: Store;
  readonly log: Log;
};

/** A start must not take long. */
const startLimits = { blocksMax: blocksPerQuery, transactionsMax: 8 };

/** The reason to give each store a recipient of its own. */
export const foreignPayment =
  'PAY_TO received a payment without a record in this store. If another store uses this PAY_TO, give each store its own.';
export const newStore = 'This store is new. No gateway with another store may use this PAY_TO.';

/**
 * Warns at the start that every store needs a recipient of its own (D-138): once for an empty store, and
 * whenever the recipient was paid by authorizations unknown to this store. Logs nothing while the chain does
 * not respond.
 */
export async function checkRecipient(ports: RecipientPorts): Promise<void> {
  const { store, payTo, log } = ports;
  const { transaction } = await findForeignPayment({ ...ports, ...startLimits });
  if (transaction !== null) log.warn({ payTo, txHash: transaction }, foreignPayment);
  else if ((await store.totals()).size === 0) log.warn({ payTo }, newStore);
}

/** The result of a search. `transaction` made a payment that the store does not know; null where none was found. */
export type ForeignPayment = {
  readonly transaction: Bytes32 | null;
  /** The transactions that were checked. */
  readonly checked: number;
  /** The blocks that were searched. */
  readonly blocks: number;
};

/**
 * Finds a payment to the recipient that the store does not know, newest first. A chain that does not respond ends the
 * search.
 */
export async function findForeignPayment(search: RecipientSearch): Promise<ForeignPayment> {
  const { rpc, blocksMax, transactionsMax } = search;
  let [checked, blocks] = [0, 0];
  const head = await readHead(rpc);
  for (let toBlock = head.ok ? head.value.block : -1; toBlock >= 0 && blocks < blocksMax; ) {
    const fromBlock = Math.max(0, toBlock - Math.min(blocksPerQuery, blocksMax - blocks) + 1);
    const hashes = await listTransactions(search, fromBlock, toBlock);
    if (hashes === null) break;
    blocks += toBlock - fromBlock + 1;
    for (const txHash of hashes.slice(0, transactionsMax - checked)) {
      checked += 1;
      if (await hasForeignPayment(search, txHash)) return { transaction: txHash, checked, blocks };
    }
    if (checked >= transactionsMax) break;
    toBlock = fromBlock - 1;
  }
  return { transaction: null, checked, blocks };
}

/** Lists the transactions that paid the recipient, newest first; null while the chain does not respond. */
async function listTransactions(
  { rpc, asset, payTo }: RecipientSearch,
  fromBlock: number,
  toBlock: number,
): Promise<readonly Bytes32[] | null> {
  const topics = [topic.transfer, null, `0x${addressWord(payTo)}`];
  const filter = { address: asset, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok || !Array.isArray(logs.value)) return null;
  const hashes = logs.value.map((log) => parseBytes32(String(log?.transactionHash)));
  return [...new Set(hashes)].filter((hash) => hash !== null).reverse();
}

async function hasForeignPayment(
  { rpc, store, asset, payTo }: RecipientSearch,
  txHash: Bytes32,
): Promise<boolean> {
  const mined = await readMined(rpc, txHash);
  if (!mined.ok || mined.value === null) return false;
  for (const { authorization } of listReceived(mined.value.logs, asset, payTo)) {
    if (authorization === null) continue;
    const known = await store.lookUp(asset, authorization.payer, authorization.nonce);
    if (known === null || known.failure === 'third_party_sender') return true;
  }
  return false;
}
