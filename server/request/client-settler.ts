import { countOnce } from '../http/rate-limit.ts';
import type { RefusalReason, Settler } from '../settlement/settler.ts';
import type { PaidPorts } from './paid-request.ts';

/** Refusals that only the payer or its token can cause. The gateway or its node can cause the others. */
const causedByPayer: ReadonlySet<RefusalReason> = new Set([
  'insufficient_funds',
  'authorization_canceled',
  'authorization_used',
  'invalid_transaction_state',
]);

/** The ports of a request whose waits for settlements count for the site of its client (D-359). */
export function waitForSite(site: string, ports: PaidPorts): PaidPorts {
  return withSettle(ports, (payment, wait) => ports.settler.settle(payment, { ...wait, site }));
}

/**
 * The ports of a payment whose inference runs. If the chain refuses it, nothing was paid for the inference. So it counts
 * against the network of the client that sent it, once, as a refusal before the inference does (D-227).
 */
export function countRefused(network: string, ports: PaidPorts): PaidPorts {
  const refusals = countOnce(ports.refusals);
  return withSettle(ports, async (payment, wait) => {
    const settlement = await ports.settler.settle(payment, wait);
    if (settlement.state === 'refused' && causedByPayer.has(settlement.reason)) await refusals.count(network);
    return settlement;
  });
}

function withSettle(ports: PaidPorts, settle: Settler['settle']): PaidPorts {
  return { ...ports, settler: { ...ports.settler, settle } };
}
