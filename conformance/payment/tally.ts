import type { Journal } from './journal.ts';

/** The count of a journal's payments, for a run that ends without a report. */
export type Tally = {
  readonly journal: Journal;
  /** One line about the signed payments; undefined if there are none. */
  line(): string | undefined;
};

/** Counts the payments of a journal, so that the total is known even if the run ends without a report. */
export function createTally(journal: Journal): Tally {
  let units = 0n;
  const states = new Map<string, string>();
  return {
    journal: {
      place: journal.place,
      append(row) {
        const fault = journal.append(row);
        if (fault !== undefined) return fault;
        if (!states.has(row.nonce)) units += BigInt(row.value);
        states.set(row.nonce, row.state);
        return undefined;
      },
    },
    line() {
      if (states.size === 0) return undefined;
      const open = [...states].flatMap(([nonce, state]) =>
        state === 'signing' || state === 'unknown' ? [nonce] : [],
      );
      const unresolved = open.length === 0 ? '' : `; it is unknown whether these settled: ${open.join(', ')}`;
      return `signed ${states.size} payment${states.size === 1 ? '' : 's'}, ${units} of the token's smallest unit in all${unresolved} (journal ${journal.place})`;
    },
  };
}
