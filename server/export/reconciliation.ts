import { type Head, readHead } from '../chain/chain-view.ts';
import { findBlockAt } from '../chain/find-block.ts';
import { createKeccak } from '../chain/keccak.ts';
import type { Rpc, RpcFault } from '../chain/rpc.ts';
import type { Loaded } from '../config/load.ts';
import { createMemoryLog } from '../observe/memory-log.ts';
import { openChain } from '../start/open-chain.ts';
import type { PaymentFilter, StoreReader } from '../store/reader.ts';
import { count } from '../types/count.ts';
import type { Result } from '../types/result.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import { comparePayments } from './compare-payments.ts';
import { compareTransfers } from './compare-transfers.ts';
import type { ComparePage } from './read-rows.ts';

/** Compares a store with the chain, in both directions. Differences go to standard error. */
export type Reconciliation = {
  /** Finds the transfers of exported payments. */
  readonly comparePage: ComparePage;
  /** Finds the payments of all transfers in the time of the filter. Returns the number of all differences. */
  finish(filter: PaymentFilter): Promise<number>;
  close(): Promise<void>;
};

/** Opens the chain of the settings as a start does. Rejects with a sentence when it is another chain, or is away. */
export async function openReconciliation(loaded: Loaded, store: StoreReader): Promise<Reconciliation> {
  const { config } = loaded;
  const chain = await openChain(config, null, [], await createKeccak(), createMemoryLog().log);
  if (!chain.ok) throw new Error(chain.fault.join(' '));
  const { rpc, asset, payTo, close } = chain.value;
  /** Earlier settings may have had other recipients. */
  const recipients = new Set<Address>([payTo]);
  let [differences, compared] = [0, 0];
  const report = (difference: string) => {
    differences += 1;
    console.error(`Difference: ${difference}.`);
  };
  return {
    async comparePage(payments) {
      for (const { authorization } of payments) recipients.add(authorization.to);
      const found = unwrap(await comparePayments(rpc, payments));
      for (const difference of found.values()) if (difference !== null) report(difference);
      compared += found.size;
      return (id) => {
        const difference = found.get(id);
        if (difference === undefined) return null;
        return difference === null ? 'paid' : 'missing';
      };
    },
    async finish(filter) {
      const head = unwrap(await readHead(rpc));
      const { fromBlock, toBlock } = await findRange(rpc, store, filter, head, config.logBlocksMax);
      let [transfers, open] = [0, 0];
      for (const recipient of recipients) {
        const ports = { rpc, store, asset, recipient, fromBlock, toBlock, report };
        const result = unwrap(await compareTransfers(ports));
        transfers += result.transfers;
        open += result.open;
      }
      const undecided = open === 0 ? '' : ` The gateway has yet to see ${count(open, 'transfer')}.`;
      console.error(
        `Compared ${count(compared, 'charged payment')} with the chain, and ${count(transfers, 'transfer')} in the blocks ${fromBlock} to ${toBlock} with the store.${undecided} Differences: ${differences}.`,
      );
      return differences;
    },
    close,
  };
}

/** The time before the first payment of a store whose transfers are compared too, because clocks differ. */
const earlierSeconds = 3_600;

/** The blocks of the filter's time. Without a beginning, they begin shortly before the first payment of the store. */
async function findRange(
  rpc: Rpc,
  store: StoreReader,
  { from, until }: PaymentFilter,
  head: Head,
  logBlocksMax: number,
): Promise<{ readonly fromBlock: number; readonly toBlock: number }> {
  const begun = (await store.findFirst())?.createdAt ?? null;
  const first = from ?? (begun && unixSeconds(Math.max(0, begun - earlierSeconds)));
  return {
    fromBlock:
      first === null ? Math.max(0, head.block - logBlocksMax) : unwrap(await findBlockAt(rpc, first, head)),
    toBlock: until === null ? head.block : unwrap(await findBlockAt(rpc, until, head)) - 1,
  };
}

function unwrap<T>(result: Result<T, RpcFault>): T {
  if (result.ok) return result.value;
  throw new Error(`the chain does not respond: ${result.fault.message}. The export is incomplete`);
}
