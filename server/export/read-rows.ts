import type { PaymentFilter, StoredPayment, StoreReader } from '../store/reader.ts';
import { type ExportedRow, isCharged, type OnChain, toRow } from './rows.ts';

/** Few enough for a moment of a transaction, and many enough for few of them. */
const pageMax = 500;

/** The sums of an export. */
export type Totals = { payments: number; charged: number; amount: bigint };

/** Compares a page of payments with the chain. */
export type ComparePage = (payments: readonly StoredPayment[]) => Promise<(id: number) => OnChain>;

/** Reads the payments page by page, so that the memory stays the same for any number of them. */
export async function* readRows(
  store: Pick<StoreReader, 'readPage'>,
  filter: PaymentFilter,
  totals: Totals,
  compare: ComparePage | null,
): AsyncGenerator<ExportedRow, void> {
  for (let after = 0; ; ) {
    const page = await store.readPage(filter, after, pageMax);
    const onChain = compare === null ? () => null : await compare(page);
    for (const payment of page) {
      totals.payments += 1;
      if (isCharged(payment)) {
        totals.charged += 1;
        totals.amount += payment.authorization.value;
      }
      yield toRow(payment, onChain(payment.id));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageMax) return;
    after = last.id;
  }
}
