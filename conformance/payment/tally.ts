import type { Journal } from './journal.ts';

/** What a journal was given, for whoever has to say it when nobody else can any more. */
export type Tally = {
  readonly journal: Journal;
  /** One line on what was signed; undefined where nothing was. */
  line(): string | undefined;
};

/** Keeps count beside a journal, so that the total is known also where the run ends without a report. */
export function tallyOf(journal: Journal): Tally {
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
      const unresolved = open.length === 0 ? '' : `; what became of these nobody can say: ${open.join(', ')}`;
      return `signed ${states.size} payment${states.size === 1 ? '' : 's'}, ${units} of the token's smallest unit in all${unresolved} (journal ${journal.place})`;
    },
  };
}
