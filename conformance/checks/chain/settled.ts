import { chainId } from '@paid-inference/contract/constants';
import type { Rpc } from '../../chain/rpc.ts';
import { isMovedIn, isUsedIn, type Settlement } from '../../chain/settlement.ts';
import type { JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Authorization } from '../../payment/sign.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { isString } from '../../sources/judgements.ts';
import { offer } from '../../sources/sources.ts';
import { andThen, type Found, found, inapplicable, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, unknown } from '../../types/verdict.ts';
import type { Answered } from '../../wire/exchange.ts';
import { receiptOf } from '../responses/receipt.ts';

/** A payment that was answered with 200, and in which transaction the receipt says that it settled. */
export type Claimed = {
  readonly authorization: Authorization;
  readonly asset: string;
  readonly txHash: string;
};

/** What the test network has of it. */
export type Settled = Claimed & { readonly settlement: Settlement | 'unheard-of' };

/** Something that holds of every payment that was answered with 200. */
export type SettlementRule = {
  readonly requirement: JudgedId;
  readonly title: string;
  readonly judge: (settled: Settled) => Judgement;
};

const unheardOf = unknown('the test network does not know the transaction');

/** A payment that was answered with 200 has settled (contract 1, 3): the receipt says in which transaction (2.11). */
export const settlementRules: readonly SettlementRule[] = [
  {
    requirement: 'chain.transaction',
    title: 'The transaction of the receipt is mined, and succeeded',
    judge: ({ settlement, txHash }) => {
      if (settlement === 'unheard-of') return broken('a transaction that the test network knows', txHash);
      return settlement.succeeded ? holds(txHash) : broken('success', `${txHash} failed`);
    },
  },
  {
    requirement: 'chain.authorization-used',
    title: 'It used the authorization that was signed',
    judge: ({ settlement, asset, authorization, txHash }) => {
      if (settlement === 'unheard-of') return unheardOf;
      return isUsedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(`AuthorizationUsed by ${asset} for the nonce ${authorization.nonce}`, `none in ${txHash}`);
    },
  },
  {
    requirement: 'chain.transfer',
    title: 'It moved exactly what was signed, to whom it was signed',
    judge: ({ settlement, asset, authorization, txHash }) => {
      if (settlement === 'unheard-of') return unheardOf;
      const { from, to, value } = authorization;
      return isMovedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(`Transfer by ${asset} of ${value} from ${from} to ${to}`, `none in ${txHash}`);
    },
  },
];

/** The node of the test network, where the caller gave one. */
export async function chainNode({ nodes }: Context): Promise<Found<Rpc>> {
  return nodes.chain
    ? found(nodes.chain)
    : inapplicable(`no chain given: --chain-rpc names a node of chain ${chainId}`);
}

/** What is to be looked for on the test network; missing where the receipt does not say. */
export function claimOf(
  context: Context,
  endpoint: PaidEndpoint,
  answered: Answered,
  authorization: Authorization,
): Promise<Found<Claimed>> {
  return andThen(offer(context, endpoint), ({ asset }) =>
    andThen(Promise.resolve(receiptOf({ answered })), ({ txHash }) =>
      isString(txHash) && /^0x[0-9a-fA-F]{64}$/.test(txHash)
        ? found({ authorization, asset, txHash })
        : missing('the receipt names no transaction'),
    ),
  );
}
