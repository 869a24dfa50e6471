import type { Journal, JournalRow } from '../payment/journal.ts';

/** A journal for tests: what it was given is gone with the process. */
export function memoryJournal(): Journal & { readonly rows: readonly JournalRow[] } {
  const rows: JournalRow[] = [];
  return { place: '(memory)', rows, append: (row) => void rows.push(row) };
}
