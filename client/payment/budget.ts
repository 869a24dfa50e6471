/** What is left to sign for, over the life of one client. Amounts in the token's smallest unit. */
export type Budget = {
  /**
   * Takes an amount out of the budget, or answers null where it does not fit. Synchronous, so that of two requests
   * that race for the last of it one is refused.
   */
  reserve(amount: bigint): BudgetReservation | null;
  /** Everything that was reserved and not given back. */
  reserved(): bigint;
};

type BudgetReservation = {
  /**
   * Gives the amount back. Only for an authorization that nobody else ever held: any other can be settled by whoever
   * received it until its `validBefore`, and what the gateway says about it is the gateway's word.
   */
  giveBack(): void;
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
        giveBack() {
          if (held) reserved -= amount;
          held = false;
        },
      };
    },
  };
}
