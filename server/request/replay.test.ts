import { expect, it } from 'vitest';
import type { RefusalReason } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { settle } from './present-settlement.ts';

/** The outcome of a payment that the settler refuses. The test needs only the settler and the quote. */
function refusedFor(reason: RefusalReason) {
  const settler = { settle: () => Promise.resolve({ state: 'refused', reason }) };
  const request = { quote: {} } as PricedRequest;
  return settle(request, {} as PaymentRecord, false, { settler } as unknown as PaidPorts);
}

it.each<[RefusalReason, RegExp, RegExp]>([
  ['payment_expired', /payment expired .* nothing was charged/, /used or canceled/],
  ['authorization_used', /used or canceled/, /nothing was charged|payment expired/],
  ['authorization_canceled', /used or canceled/, /nothing was charged|payment expired/],
  ['moved_otherwise', /moved other tokens .* refund/, /nothing was charged/],
])(
  'D-193: the response to a payment that is refused as %s reports only facts of the chain',
  async (reason, says, never) => {
    const outcome = await refusedFor(reason);
    expect(outcome).toMatchObject({ kind: 'offer', message: expect.stringMatching(says) });
    expect(outcome).not.toMatchObject({ message: expect.stringMatching(never) });
  },
);
