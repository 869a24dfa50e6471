import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What becomes of a sentence of the contract: one of requirements, excluded and informative. */
export type Mapping = {
  readonly text: string;
  readonly requirements?: readonly string[];
  /** What of it no check can show, and why. */
  readonly open?: string;
  /** Why nothing of it can be checked. */
  readonly excluded?: string;
  readonly informative?: true;
};
export type Section = { readonly section: string; readonly sentences: readonly Mapping[] };

/** The contract sentence by sentence, as spec/ has it; that it is the whole contract is tested there. */
export function readSentences(): readonly Section[] {
  return parse(readFileSync(new URL('../../spec/sentences/contract.yaml', import.meta.url), 'utf8'));
}
