import type { JudgedId } from '../../context/check.ts';
import type { Spoil } from '../../sources/throwaway-source.ts';

/** A fault of a signature. The rest of the payment is correct. */
export type SignatureFault = {
  /** The requirement for chat. */
  readonly requirement: JudgedId;
  readonly words: string;
  readonly spoil: Spoil;
  /** Whether the payment has members beside `payload`. A gateway may refuse it as malformed or as none (D-424). */
  readonly hasMore?: true;
};
