import type { Exchange } from '../http/contract.ts';
import { isAskedAgain } from '../settlement/settlement-subscribers.ts';
import type { RefusalReason, Settler } from '../settlement/settler.ts';
import type { PaidPorts } from './paid-request.ts';

/** Refusals that count. A window that ended, or a transfer that another account made, causes the others. */
const counted: ReadonlySet<RefusalReason> = new Set([
  'insufficient_funds',
  'authorization_canceled',
  'authorization_used',
  'invalid_transaction_state',
]);

/**
 * The ports of a client's request. Its waits for settlements count for its site (D-359). A refused payment that is sent
 * again makes the gateway read the chain, and costs its sender nothing. So it counts as a refusal, for whatever reason it was
 * refused. At the limit the gateway does not ask the chain (D-227).
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

/**
 * Follows a payment whose inference runs. If the chain refuses it, nothing was paid for the inference. So it counts against
 * the network of the client that sent it, as a refusal before the inference does, whether or not a request still waits
 * (D-227).
 */
export function countRefused(
  paymentId: number,
  network: string,
  { settler, refusals, log }: Pick<PaidPorts, 'settler' | 'refusals' | 'log'>,
): void {
  settler.follow(paymentId, (settlement) => {
    if (settlement.state !== 'refused' || settlement.isExcused || !counted.has(settlement.reason)) return;
    refusals.count(network).catch((cause: unknown) => {
      log.error({ err: cause, payment: paymentId }, 'A refused payment could not be counted.');
    });
  });
}
