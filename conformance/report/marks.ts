import type { Outcome } from '../types/verdict.ts';

export type Mark = {
  /** One character, of which no two outcomes have the same. */
  readonly mark: string;
  /** A word for the head of a narrow column. */
  readonly short: string;
  /** For a legend. */
  readonly meaning: string;
  readonly colour: 'green' | 'red' | 'yellow' | 'cyan' | 'dim';
};

/** How an outcome looks in every report, and what it means. */
export const marks: Readonly<Record<Outcome, Mark>> = {
  pass: { mark: '✓', short: 'pass', meaning: 'met', colour: 'green' },
  fail: { mark: '✗', short: 'fail', meaning: 'a MUST is not met', colour: 'red' },
  warn: { mark: '!', short: 'warn', meaning: 'a SHOULD is not met', colour: 'yellow' },
  observed: {
    mark: '·',
    short: 'seen',
    meaning: 'noted only: the contract leaves it open',
    colour: 'cyan',
  },
  inconclusive: { mark: '?', short: 'open', meaning: 'could not be exercised', colour: 'yellow' },
  'not-applicable': { mark: '–', short: 'n/a', meaning: 'did not arise in this run', colour: 'dim' },
  disabled: { mark: '○', short: 'off', meaning: 'out of scope: another profile or filter', colour: 'dim' },
  error: { mark: 'E', short: 'error', meaning: 'the suite itself failed', colour: 'red' },
};
