import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Change } from '../independent/gateway.ts';

/** The independent gateway with one step broken, for tests that need a report in which something failed. */
export type Broken = {
  readonly id: string;
  readonly change: Change;
  /** The requirements that fail, all of them and no other. */
  readonly kills: readonly RequirementId[];
};

/** Two of many: what the suite finds out, and what it does not, is shown in `mutants/`. */
export const mutants: readonly Broken[] = [
  {
    id: 'amount-as-number',
    change: ({ offer }) => ({ offer: (...of) => ({ ...offer(...of), maxAmountRequired: 1000 }) }),
    kills: ['offer.maxAmountRequired'],
  },
  {
    id: 'receipt-names-recipient',
    change: ({ receipt }) => ({
      receipt: (authorization) => ({ ...receipt(authorization), payer: authorization.to }),
    }),
    kills: ['receipt.payer', 'receipt.completions'],
  },
];

/** Answers 418 to everything, and must die whatever else happens. */
export const canary: Change = () => ({ finish: () => ({ status: 418, headers: {}, body: {} }) });
