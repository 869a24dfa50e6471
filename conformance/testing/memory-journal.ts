import type { Journal, JournalRow } from '../payment/journal.ts';

/** A journal for tests, in memory. */
export function memoryJournal(): Journal & { readonly rows: readonly JournalRow[] } {
  const rows: JournalRow[] = [];
  return { place: '(memory)', rows, append: (row) => void rows.push(row) };
}
