import { blocksPerQuery, quantity, readHead, readMined } from '../chain/chain-view.ts';
import type { Rpc } from '../chain/rpc.ts';
import { type ReceiptLog, topic } from '../chain/token-logs.ts';
import { addressWord } from '../chain/word.ts';
import type { Log } from '../observe/log.ts';
import type { Store } from '../store/store.ts';
import { type Address, type Bytes32, parseAddress, parseBytes32 } from '../types/units.ts';

export type RecipientPorts = {
  readonly rpc: Rpc;
  readonly store: Store;
  readonly asset: Address;
  readonly payTo: Address;
  readonly log: Log;
};

/** Most transactions to the recipient that are checked, newest first. */
const transactionsMax = 8;

/**
 * Warns at the start that every store needs a recipient of its own (D-138): once for an empty store, and
 * whenever the recipient was paid by authorizations unknown to this store. Logs nothing while the chain does
 * not respond.
 */
export async function checkRecipient(ports: RecipientPorts): Promise<void> {
  const { store, payTo, log } = ports;
  const unknown = await findUnknownPayment(ports);
  if (unknown !== null) {
    log.warn(
      { payTo, txHash: unknown },
      'PAY_TO received a payment without a record in this store. If another store uses this PAY_TO, give each store its own.',
    );
  } else if ((await store.totals()).size === 0) {
    log.warn({ payTo }, 'This store is new. No gateway with another store may use this PAY_TO.');
  }
}

async function findUnknownPayment({ rpc, store, asset, payTo }: RecipientPorts): Promise<Bytes32 | null> {
  const head = await readHead(rpc);
  if (!head.ok) return null;
  const fromBlock = quantity(Math.max(0, head.value.block - blocksPerQuery + 1));
  const topics = [topic.transfer, null, `0x${addressWord(payTo)}`];
  const filter = { address: asset, fromBlock, toBlock: quantity(head.value.block), topics };
  const logs = await rpc.call<unknown>('eth_getLogs', [filter]);
  if (!logs.ok || !Array.isArray(logs.value)) return null;
  const hashes = logs.value.map((log: { transactionHash?: unknown }) => String(log.transactionHash));
  for (const hash of [...new Set(hashes)].slice(-transactionsMax).reverse()) {
    const txHash = parseBytes32(hash);
    const mined = txHash && (await readMined(rpc, txHash));
    if (!mined?.ok || mined.value === null) continue;
    for (const { payer, nonce } of authorizationsTo(payTo, asset, mined.value.logs)) {
      const known = await store.lookUp(asset, payer, nonce);
      if (known === null || known.failure === 'third_party_sender') return txHash;
    }
  }
  return null;
}

type Used = { readonly payer: Address; readonly nonce: Bytes32 };

/**
 * Lists the authorizations of a transaction that paid this recipient. Each is logged right before its transfer.
 */
function authorizationsTo(payTo: Address, asset: Address, logs: readonly ReceiptLog[]): readonly Used[] {
  const ofAsset = logs.filter((log) => log.address.toLowerCase() === asset);
  return ofAsset.flatMap(({ topics }, place) => {
    const transfer = ofAsset[place + 1];
    if (
      topics[0] !== topic.authorizationUsed ||
      transfer?.topics[2]?.slice(-40).toLowerCase() !== payTo.slice(2)
    )
      return [];
    const [payer, nonce] = [parseAddress(`0x${topics[1]?.slice(-40)}`), parseBytes32(topics[2] ?? '')];
    return payer && nonce ? [{ payer, nonce }] : [];
  });
}
