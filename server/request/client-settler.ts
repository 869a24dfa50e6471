import type { Exchange } from '../http/contract.ts';
import type { RefusalReason, Settler } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import { undecidedFailure } from '../types/payment-states.ts';
import type { PaidPorts } from './paid-request.ts';

/** Refusals that the payer can cause. The time of the gateway, or another gateway, causes the others. */
const causedByPayer: ReadonlySet<RefusalReason> = new Set([
  'insufficient_funds',
  'authorization_canceled',
  'authorization_used',
  'invalid_transaction_state',
]);

/**
 * The ports of a client's request. Its waits for settlements count for its site (D-359). Each payment that was refused,
 * and is sent again, is a reading of the chain that costs its sender nothing. So it counts as a refusal, and at the limit the
 * chain is not asked (D-227).
 */
export function settleFor(
  { site, network }: Pick<Exchange, 'site' | 'network'>,
  ports: PaidPorts,
): PaidPorts {
  const { settler, refusals } = ports;
  const settle: Settler['settle'] = async (payment, options) => {
    const asked = { ...options, site };
    if (!isAskedAgain(payment)) return settler.settle(payment, asked);
    // Counted before the wait: hundreds may be sent at once.
    const isFull = (await refusals.findWait(network)) !== null || !(await refusals.count(network));
    if (!isFull) return settler.settle(payment, asked);
    return { state: 'unknown', ...(await refusals.findWait(network)) };
  };
  return { ...ports, settler: { ...settler, settle } };
}

/** Whether a payment was refused, and the chain may still accept it (D-63). */
function isAskedAgain({ state, failure, completion, isOwed }: PaymentRecord): boolean {
  const isRefused = state === 'expired' || (state === 'failed' && failure !== undecidedFailure);
  return isRefused && (completion !== null || isOwed);
}

/**
 * Follows a payment whose inference runs. If the chain refuses it, nothing was paid for the inference. So it counts against
 * the network of the client that sent it, as a refusal before the inference does, whether or not a request still waits
 * (D-227).
 */
export function countRefused(
  paymentId: number,
  network: string,
  { settler, refusals }: Pick<PaidPorts, 'settler' | 'refusals'>,
): void {
  settler.follow(paymentId, (settlement) => {
    if (settlement.state !== 'refused' || settlement.isExcused) return;
    if (causedByPayer.has(settlement.reason)) void refusals.count(network);
  });
}
