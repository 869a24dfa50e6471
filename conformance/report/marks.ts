import type { Outcome } from '../types/verdict.ts';

export type Mark = {
  /** One character, unique to the outcome. */
  readonly mark: string;
  /** A word for the head of a narrow column. */
  readonly short: string;
  /** The meaning of the outcome, for a legend. */
  readonly meaning: string;
  readonly colour: 'green' | 'red' | 'yellow' | 'cyan' | 'dim';
};

/** Mark, name and meaning of each outcome in all reports. */
export const marks: Readonly<Record<Outcome, Mark>> = {
  pass: { mark: '✓', short: 'pass', meaning: 'met', colour: 'green' },
  fail: { mark: '✗', short: 'fail', meaning: 'a MUST is not met', colour: 'red' },
  warn: { mark: '!', short: 'warn', meaning: 'a SHOULD is not met', colour: 'yellow' },
  observed: {
    mark: '·',
    short: 'seen',
    meaning: 'observed only: the contract leaves the behaviour open',
    colour: 'cyan',
  },
  inconclusive: { mark: '?', short: 'open', meaning: 'could not be exercised', colour: 'yellow' },
  'not-applicable': { mark: '–', short: 'n/a', meaning: 'did not arise in this run', colour: 'dim' },
  disabled: { mark: '○', short: 'off', meaning: 'out of scope: another profile or filter', colour: 'dim' },
  error: { mark: 'E', short: 'error', meaning: 'the suite itself failed', colour: 'red' },
};
