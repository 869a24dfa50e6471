import { findSettlement } from '../../chain/settlement.ts';
import { type Check, check } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import { type PaidEndpoint, paidEndpointNames } from '../../sources/bodies.ts';
import { paidChat, paidCompletion, served } from '../../sources/paid-source.ts';
import { andThen, type Found, found, given } from '../../types/found.ts';
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

function findSettled(context: Context, endpoint: PaidEndpoint): Promise<Found<Settled>> {
  return andThen(chainNode(context), (chain) =>
    andThen(
      served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)),
      ({ answered, payment }) =>
        andThen(readClaim(context, endpoint, answered, payment.authorization), (claimed) =>
          andThen(findSettlement(chain, claimed.txHash, context), (settlement) =>
            found({ ...claimed, settlement }),
          ),
        ),
    ),
  );
}
