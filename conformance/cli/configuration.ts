import type { JudgeOptions } from '../engine/judge.ts';
import type { Funded } from '../payment/budget.ts';

/** Options of the command line, unparsed. */
export type Typed = {
  readonly profile?: string;
  readonly model?: string;
  readonly keyFile?: string;
  readonly maxTotal?: string;
  readonly maxPerRequest?: string;
  readonly maxPayments?: string;
  readonly payTo?: readonly string[];
  readonly asset?: string;
  readonly journal?: string;
  readonly rate?: string;
  readonly iOwnThisTarget?: true;
  readonly chainRpc?: string;
  readonly ledgerRpc?: string;
  readonly seed?: string;
  readonly path?: string;
  readonly verbose?: true;
  readonly json?: true;
  readonly report?: readonly string[];
  readonly stepSummary?: true;
  readonly expectedFailures?: string;
  readonly strict?: true;
  readonly allowIncomplete?: true;
  readonly implementationName?: string;
  readonly implementationVersion?: string;
  readonly implementationUrl?: string;
  readonly filter?: string;
  readonly dryRun?: true;
  readonly deadlineSeconds?: string;
  readonly timeoutMs: string;
};

/** Options of a run without its journal. The journal is opened only when it is needed. */
export type Configuration = Omit<JudgeOptions, 'funded'> & {
  readonly funded?: Omit<Funded, 'journal'> & { readonly journalFile: string };
};
