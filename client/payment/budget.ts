/** The amount that one client may still sign. Amounts are in the token's smallest unit. */
export type Budget = {
  /**
   * Reserves an amount, or returns null when the amount exceeds the budget. Synchronous, so that two concurrent
   * requests cannot reserve the same units.
   */
  reserve(amount: bigint): BudgetReservation | null;
  /** The sum of the reserved amounts, without the released ones. */
  reserved(): bigint;
};

type BudgetReservation = {
  /**
   * Releases the amount of an authorization that never left this process. The gateway can settle an authorization that
   * it received until `validBefore`, even after it refused the payment.
   */
  release(): void;
};

export function createBudget(amountMax: bigint): Budget {
  let reserved = 0n;
  return {
    reserved: () => reserved,
    reserve(amount) {
      if (reserved + amount > amountMax) return null;
      reserved += amount;
      let held = true;
      return {
        release() {
          if (held) reserved -= amount;
          held = false;
        },
      };
    },
  };
}
