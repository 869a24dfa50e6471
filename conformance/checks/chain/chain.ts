import { findSettlement } from '../../chain/settlement.ts';
import { type Check, check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { servedAt } from '../../sources/paid-source.ts';
import { type Found, found, given } from '../../types/found.ts';
import { everySettlementChecks } from './every-settlement.ts';
import { refusedPaymentChecks } from './refused-payments.ts';
import { chainNode, readClaim, type Settled, settlementRules } from './settled.ts';

/** Checks of payments on the test network: first one of each endpoint, at the end all of them. */
export const chainChecks: readonly Check[] = [
  ...paidEndpointNames.flatMap((endpoint) =>
    settlementRules.map(({ requirement, title, judge }) =>
      check(requirement, `${title} (${endpoint})`, (context) =>
        given(context.once(settled[endpoint]), judge),
      ),
    ),
  ),
  ...everySettlementChecks,
  ...refusedPaymentChecks,
];

const settled = {
  chat: (context: Context) => findSettled(context, 'chat'),
  completions: (context: Context) => findSettled(context, 'completions'),
};

async function findSettled(context: Context, endpoint: PaidEndpoint): Promise<Found<Settled>> {
  const chain = await chainNode(context);
  if (!chain.ok) return chain;
  const paid = await servedAt(context, endpoint);
  if (!paid.ok) return paid;
  const { answered, payment } = paid.value;
  const claimed = await readClaim(context, endpoint, answered, payment.authorization);
  if (!claimed.ok) return claimed;
  const settlement = await findSettlement(chain.value, claimed.value.txHash, context);
  if (!settlement.ok) return settlement;
  return found({ ...claimed.value, settlement: settlement.value });
}
