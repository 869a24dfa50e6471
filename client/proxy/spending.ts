import type { Journal } from '../payment/journal.ts';
import type { SpendingRules } from '../payment/rules.ts';
import type { Step } from '../payment/step.ts';

/** Tells what was spent, as it happens. */
export type Spending = {
  /** The steps of one purchase. */
  report(model: string): (step: Step) => void;
  /** The purchases of this run. */
  summary(): { readonly purchases: number; readonly units: bigint; readonly total: bigint };
};

/** `say` gets one line. The texts of the gateway in it are foreign. */
export function createSpending(
  { amountSigned }: Pick<Journal, 'amountSigned'>,
  { amountTotalMax }: SpendingRules,
  say: (line: string) => void,
): Spending {
  let purchases = 0;
  let units = 0n;
  /** A journal that cannot be read must not fail the purchase that is told. */
  function readTotal(): string {
    try {
      return String(amountSigned());
    } catch {
      return 'an unknown sum';
    }
  }
  return {
    summary: () => ({ purchases, units, total: amountSigned() }),
    report(model) {
      let price: bigint | null = null;
      let isTold = false;
      return (step) => {
        if (step.step === 'signed') price = BigInt(step.authorization.value);
        if (step.step === 'receipt') {
          // A stream that broke has a receipt for each attempt.
          if (isTold) return;
          isTold = true;
          purchases += 1;
          units += price ?? 0n;
          const paid = price === null ? 'finished an earlier payment' : `paid ${price} units`;
          const sums = `${units} units in this run, ${readTotal()} of ${amountTotalMax} in total`;
          say(`${paid} for ${model}, transaction ${step.receipt.txHash}; ${sums}`);
        } else {
          const line = describe(step);
          if (line !== null) say(line);
        }
      };
    },
  };
}

/** Null for a step that a person need not see. */
function describe(step: Step): string | null {
  switch (step.step) {
    case 'refused':
      return `paid nothing: ${step.refusal.message}`;
    case 'waiting':
      return `sends the same payment again in ${step.waitMs / 1000} s: ${step.because}`;
    case 'receipt-fault':
      return `the response proves no payment: ${step.message}`;
    case 'journal-fault':
      return `the journal failed: ${step.message}`;
    default:
      return null;
  }
}
