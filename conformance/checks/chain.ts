import { chainId } from '@paid-inference/contract/constants';
import { findSettlement, isMovedIn, isUsedIn, type Settlement } from '../chain/settlement.ts';
import { type Check, check, type JudgedId } from '../engine/check.ts';
import type { Context } from '../engine/context.ts';
import { andThen, type Found, found, given, inapplicable, missing } from '../engine/found.ts';
import { broken, holds, type Judgement } from '../engine/verdict.ts';
import type { Authorization } from '../payment/sign.ts';
import { type PaidEndpoint, paidEndpointNames } from './bodies.ts';
import { isString } from './judgements.ts';
import { paidChat, paidCompletion, served } from './paid-source.ts';
import { receiptOf } from './receipt.ts';
import { offer } from './sources.ts';

/** What the test network has of a payment that was answered with 200. */
type Settled = {
  readonly authorization: Authorization;
  readonly asset: string;
  readonly txHash: string;
  readonly settlement: Settlement | 'unheard-of';
};
type Mined = Settled & { readonly settlement: Settlement };

/** A payment that was answered with 200 has settled (contract 1, 3): the receipt says in which transaction (2.11). */
export const chainChecks: readonly Check[] = paidEndpointNames.flatMap((endpoint) => [
  onChain(
    'chain.transaction',
    'The transaction of the receipt is mined, and succeeded',
    endpoint,
    (payment) => {
      if (payment.settlement === 'unheard-of') {
        return broken('a transaction that the test network knows', payment.txHash);
      }
      return payment.settlement.succeeded
        ? holds(payment.txHash)
        : broken('success', `${payment.txHash} failed`);
    },
  ),
  onChain('chain.authorization-used', 'It used the authorization that was signed', endpoint, (payment) =>
    given(mined(payment), ({ settlement, asset, authorization, txHash }) =>
      isUsedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(`AuthorizationUsed by ${asset} for the nonce ${authorization.nonce}`, `none in ${txHash}`),
    ),
  ),
  onChain('chain.transfer', 'It moved exactly what was signed, to whom it was signed', endpoint, (payment) =>
    given(mined(payment), ({ settlement, asset, authorization, txHash }) => {
      const { from, to, value } = authorization;
      return isMovedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(`Transfer by ${asset} of ${value} from ${from} to ${to}`, `none in ${txHash}`);
    }),
  ),
]);

function onChain(
  requirement: JudgedId,
  title: string,
  endpoint: PaidEndpoint,
  judge: (settled: Settled) => Judgement | Promise<Judgement>,
): Check {
  return check(requirement, `${title} (${endpoint})`, (context) =>
    given(context.once(settled[endpoint]), judge),
  );
}

const settled = {
  chat: (context: Context) => settledOf(context, 'chat'),
  completions: (context: Context) => settledOf(context, 'completions'),
};

async function settledOf(context: Context, endpoint: PaidEndpoint): Promise<Found<Settled>> {
  const { chain } = context.nodes;
  if (!chain) return inapplicable(`no chain given: --chain-rpc names a node of chain ${chainId}`);
  return andThen(served(endpoint === 'chat' ? paidChat(context) : paidCompletion(context)), (paid) =>
    andThen(offer(context, endpoint), ({ asset }) =>
      andThen(Promise.resolve(receiptOf(paid)), ({ txHash }) =>
        isString(txHash) && /^0x[0-9a-fA-F]{64}$/.test(txHash)
          ? andThen(findSettlement(chain, txHash, context), (settlement) =>
              found({ authorization: paid.payment.authorization, asset, txHash, settlement }),
            )
          : missing('the receipt names no transaction'),
      ),
    ),
  );
}

async function mined(payment: Settled): Promise<Found<Mined>> {
  const { settlement } = payment;
  return settlement === 'unheard-of'
    ? missing('the test network does not know the transaction')
    : found({ ...payment, settlement });
}
