import type { JudgedId } from '../../context/check.ts';
import type { Spoil } from '../../sources/throwaway-source.ts';

/** What is wrong with a signature, in words that begin with it, and nothing else with the payment. */
export type SignatureFault = {
  /** Where a chat shows it. */
  readonly requirement: JudgedId;
  readonly words: string;
  readonly spoil: Spoil;
};
