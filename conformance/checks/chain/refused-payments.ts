import type { Rpc } from '../../chain/rpc.ts';
import { isSpent } from '../../chain/settlement.ts';
import { type Check, closingCheck } from '../../context/check.ts';
import type { Context } from '../../context/context.ts';
import type { Authorization } from '../../payment/sign.ts';
import { describe, isRefusal, transientStatuses } from '../../sources/judgements.ts';
import { paidChat, served } from '../../sources/paid-source.ts';
import { offer } from '../../sources/sources.ts';
import { listResponses, readPayment } from '../../sources/transcript-queries.ts';
import { type Found, found, missing } from '../../types/found.ts';
import { broken, holds, type Judgement, notApplicable } from '../../types/verdict.ts';
import type { Exchange } from '../../wire/exchange.ts';
import { chainNode } from './settled.ts';

/**
 * A payment settles if its response is 200 (§3); the contract names no other status that settles a payment
 * (D-129).
 */
export const refusedPaymentChecks: readonly Check[] = [
  closingCheck('refused.unsettled', 'No refused payment has settled', async (context) => {
    const chain = await chainNode(context);
    if (!chain.ok) return chain.verdict;
    // Usually paid before, unless a filter selects only this check.
    const paid = await served(paidChat(context));
    if (!paid.ok) return paid.verdict;
    const offered = await offer(context, 'chat');
    if (!offered.ok) return offered.verdict;
    const asset = await telling(chain.value, offered.value.asset, paid.value.payment.authorization);
    if (!asset.ok) return asset.verdict;
    return judgeRefused(context, chain.value, asset.value);
  }),
];

/**
 * The token, if it reports a served payment as used. Otherwise its reports prove nothing about other payments.
 */
async function telling(chain: Rpc, asset: string, paid: Authorization): Promise<Found<string>> {
  const isUsed = await isSpent(chain, asset, paid);
  if (!isUsed.ok) return isUsed;
  return isUsed.value ? found(asset) : missing(`the token ${asset} does not report a served payment as used`);
}

async function judgeRefused(context: Context, chain: Rpc, asset: string): Promise<Judgement> {
  const refused = refusedPayments(context);
  if (refused.length === 0) return notApplicable('no payment was refused');
  for (const { exchange, authorization } of refused) {
    const isUsed = await isSpent(chain, asset, authorization);
    if (!isUsed.ok) return isUsed.verdict;
    if (!isUsed.value) continue;
    context.cite([exchange]);
    const answered = listResponses(context).find(({ number }) => number === exchange.number);
    return broken(
      `a refused payment to stay unused (nonce ${authorization.nonce})`,
      `a settled payment (request ${exchange.number}${answered ? `: ${describe(answered)}` : ''})`,
    );
  }
  return holds(`${refused.length} payments`);
}

type Sent = { readonly exchange: Exchange; readonly authorization: Authorization };

/**
 * Payments of this run that were always refused. A payment without a response, or with a transient status, may
 * have settled.
 */
function refusedPayments(context: Context): readonly Sent[] {
  const funded = context.budget?.payer.toLowerCase();
  const sent = context.transcript().flatMap((exchange) => {
    const authorization = readPayment(exchange)?.authorization;
    return authorization && authorization.from.toLowerCase() === funded ? [{ exchange, authorization }] : [];
  });
  const byNonce = Map.groupBy(sent, ({ authorization }) => authorization.nonce.toLowerCase());
  return [...byNonce.values()].flatMap((all) => {
    const [first] = all;
    const isRefused =
      first && isRefusal(first.exchange) && all.every(({ exchange }) => isTurnedDown(exchange));
    return isRefused ? [first] : [];
  });
}

/** Any 4xx refuses a payment that was sent before (§5). */
function isTurnedDown({ outcome }: Exchange): boolean {
  if (outcome.kind !== 'response') return false;
  const { status } = outcome;
  return status >= 400 && status < 500 && !transientStatuses.has(status);
}
