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
import { readReceipt } from '../responses/receipt.ts';

/** A payment with a 200 response, and the transaction that its receipt names. */
export type Claimed = {
  readonly authorization: Authorization;
  readonly asset: string;
  readonly txHash: string;
};

/** The claim with the transaction that the test network has. */
export type Settled = Claimed & { readonly settlement: Settlement | 'unheard-of' };

/** A rule for every payment with a 200 response. */
export type SettlementRule = {
  readonly requirement: JudgedId;
  readonly title: string;
  readonly judge: (settled: Settled) => Judgement;
};

const unheardOf = unknown('the test network has no such transaction');

/** A payment with a 200 response has settled (§1, §3) in the transaction that the receipt names (§2.11). */
export const settlementRules: readonly SettlementRule[] = [
  {
    requirement: 'chain.transaction',
    title: 'The transaction of the receipt is mined and succeeded',
    judge: ({ settlement, txHash }) => {
      if (settlement === 'unheard-of')
        return broken('a transaction of the test network', `the unknown transaction ${txHash}`);
      return settlement.succeeded
        ? holds(txHash)
        : broken('a successful transaction', `the failed transaction ${txHash}`);
    },
  },
  {
    requirement: 'chain.authorization-used',
    title: 'The transaction used the signed authorization',
    judge: ({ settlement, asset, authorization, txHash }) => {
      if (settlement === 'unheard-of') return unheardOf;
      return isUsedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(
            `an event AuthorizationUsed of ${asset} for the nonce ${authorization.nonce}`,
            `no such event in ${txHash}`,
          );
    },
  },
  {
    requirement: 'chain.transfer',
    title: 'The transaction moved the signed value to the signed recipient',
    judge: ({ settlement, asset, authorization, txHash }) => {
      if (settlement === 'unheard-of') return unheardOf;
      const { from, to, value } = authorization;
      return isMovedIn(settlement.logs, asset, authorization)
        ? holds()
        : broken(
            `an event Transfer of ${asset} with ${value} from ${from} to ${to}`,
            `no such event in ${txHash}`,
          );
    },
  },
];

/** The node of the test network, if the caller gave one. */
export async function chainNode({ nodes }: Context): Promise<Found<Rpc>> {
  return nodes.chain
    ? found(nodes.chain)
    : inapplicable(`no node of chain ${chainId} was given (--chain-rpc)`);
}

/** The transaction to look for on the test network; missing if the receipt names none. */
export function readClaim(
  context: Context,
  endpoint: PaidEndpoint,
  answered: Answered,
  authorization: Authorization,
): Promise<Found<Claimed>> {
  return andThen(offer(context, endpoint), ({ asset }) =>
    andThen(Promise.resolve(readReceipt({ answered })), ({ txHash }) =>
      isString(txHash) && /^0x[0-9a-fA-F]{64}$/.test(txHash)
        ? found({ authorization, asset, txHash })
        : missing('the receipt has no valid txHash'),
    ),
  );
}
