import { findForeignPayment, foreignPayment, newStore } from '../settlement/check-recipient.ts';
import type { OpenChain } from '../start/open-chain.ts';
import { openReader } from '../start/open-reader.ts';
import type { StoreReader } from '../store/reader.ts';
import { count } from '../types/count.ts';
import type { RealDeployment } from './deployment.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

/** Far more than at a start, and still a bounded number of calls. */
const transactionsMax = 200;

/**
 * Searches the chain for payments to the recipient that the store does not know. Another gateway with a separate store
 * makes such payments (D-138).
 */
export async function checkRecipientOfStore(
  { loaded }: RealDeployment,
  { rpc, asset, payTo }: OpenChain,
): Promise<readonly Finding[]> {
  const { config, store: shared = null } = loaded;
  let store: StoreReader | null;
  try {
    store = await openReader(config, shared);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return [warning('recipient', `The payments to PAY_TO cannot be compared with the store: ${why}`)];
  }
  try {
    const search = { rpc, asset, payTo, blocksMax: config.logBlocksMax, transactionsMax };
    const { transaction, checked, blocks } = await findForeignPayment({
      ...search,
      store: store ?? emptyStore,
    });
    if (transaction !== null)
      return [failed('recipient', `${foreignPayment} The transaction is ${transaction}`)];
    if (blocks === 0)
      return [
        warning('recipient', 'The node returns no logs, so no payment to PAY_TO was compared with the store'),
      ];
    if (store === null || (await store.findFirst()) === null) return [warning('recipient', newStore)];
    return [
      ok(
        'recipient',
        `The store has all payments of ${count(checked, 'transaction')} to PAY_TO in the newest ${count(blocks, 'block')}`,
      ),
    ];
  } finally {
    await store?.close();
  }
}

const emptyStore: Pick<StoreReader, 'lookUp'> = { lookUp: async () => null };
