/**
 * Decides which streams of an upstream show their text before the check of the whole completion (D-272): none before the
 * first valid stream. After a wrong stream, those of its payer wait, because the payer may have caused the fault. If the
 * streams of more than `suspectsMax` payers went wrong since the last valid one, all wait.
 */
export type EarlyText = {
  /** Whether the text of this payer's next stream waits for the check. */
  isHeld(payer?: string): boolean;
  /** Takes the result of a check. A wrong stream without a payer holds all streams. */
  onChecked(isValid: boolean, payer?: string): void;
};

const suspectsMax = 10;

export function createEarlyText(): EarlyText {
  /** The payers of the wrong streams since the last valid one; null while the streams of all payers wait. */
  let suspects: Set<string> | null = null;
  return {
    isHeld: (payer) => suspects === null || (payer !== undefined && suspects.has(payer)),
    onChecked(isValid, payer) {
      if (isValid) suspects = new Set();
      else if (payer === undefined) suspects = null;
      else suspects?.add(payer);
      if (suspects !== null && suspects.size > suspectsMax) suspects = null;
    },
  };
}
