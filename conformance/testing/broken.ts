import type { RequirementId } from '@paid-inference/contract/requirements';
import type { Change } from '../independent/gateway.ts';

/** The independent gateway with one broken step, for tests that need a failed report. */
export type Broken = {
  readonly id: string;
  readonly change: Change;
  /** The requirements that must fail, and no others. */
  readonly kills: readonly RequirementId[];
};

/** Two examples. The kill matrix in `mutants/` covers the rest. */
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

/** A gateway that returns 418 for every request, so any run must fail. */
export const canary: Change = () => ({ finish: () => ({ status: 418, headers: {}, body: {} }) });
