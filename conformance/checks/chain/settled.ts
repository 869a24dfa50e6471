import { chainId } from '@paid-inference/contract/constants';
import type { Rpc } from '../../chain/rpc.ts';
import { isMovedIn, isUsedIn, type Settlement } from '../../chain/settlement.ts';
import type { JudgedId } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Authorization } from '../../payment/sign.ts';
import type { PaidEndpoint } from '../../sources/bodies.ts';
import { isString } from '../../sources/judgements.ts';
import { offer } from '../../sources/sources.ts';
import { type Found, found, inapplicable, missing } from '../../types/found.ts';
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
      if (isUsedIn(settlement.logs, asset, authorization)) return holds();
      const expected = `an event AuthorizationUsed of ${asset} for the nonce ${authorization.nonce}`;
      return broken(expected, `no such event in ${txHash}`);
    },
  },
  {
    requirement: 'chain.transfer',
    title: 'The transaction moved the signed value to the signed recipient',
    judge: ({ settlement, asset, authorization, txHash }) => {
      if (settlement === 'unheard-of') return unheardOf;
      if (isMovedIn(settlement.logs, asset, authorization)) return holds();
      const { from, to, value } = authorization;
      const expected = `an event Transfer of ${asset} with ${value} from ${from} to ${to}`;
      return broken(expected, `no such event in ${txHash}`);
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
export async function readClaim(
  context: Context,
  endpoint: PaidEndpoint,
  answered: Answered,
  authorization: Authorization,
): Promise<Found<Claimed>> {
  const offered = await offer(context, endpoint);
  if (!offered.ok) return offered;
  const receipt = readReceipt({ answered });
  if (!receipt.ok) return receipt;
  const { txHash } = receipt.value;
  if (!isString(txHash) || !/^0x[0-9a-fA-F]{64}$/.test(txHash)) {
    return missing('the receipt has no valid txHash');
  }
  return found({ authorization, asset: offered.value.asset, txHash });
}
