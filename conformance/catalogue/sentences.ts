import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** How a sentence of the contract is covered: by requirements, excluded, or informative. */
export type Mapping = {
  readonly text: string;
  readonly requirements?: readonly string[];
  /** The part that no check can test, and the reason. */
  readonly open?: string;
  /** The reason why no part can be tested. */
  readonly excluded?: string;
  readonly informative?: true;
};
export type Section = { readonly section: string; readonly sentences: readonly Mapping[] };

/** Reads the sentences of the contract from spec/. A test in spec/ shows that they are complete. */
export function readSentences(): readonly Section[] {
  return parse(readFileSync(new URL('../../spec/sentences/contract.yaml', import.meta.url), 'utf8'));
}
