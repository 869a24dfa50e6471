import { countOnce } from '../http/rate-limit.ts';
import type { RefusalReason } from '../settlement/settler.ts';
import type { PaidPorts } from './paid-request.ts';

/** Refusals that only the payer or its token can cause. The gateway or its node can cause the others. */
const causedByPayer: ReadonlySet<RefusalReason> = new Set([
  'insufficient_funds',
  'authorization_canceled',
  'authorization_used',
  'invalid_transaction_state',
]);

/**
 * The ports of a payment whose inference runs. If the chain refuses it, nothing was paid for the inference. So it counts
 * against the network of the client that sent it, once, as a refusal before the inference does (D-227).
 */
export function countRefused(network: string, ports: PaidPorts): PaidPorts {
  const { settler } = ports;
  const refusals = countOnce(ports.refusals);
  return {
    ...ports,
    settler: {
      ...settler,
      async settle(payment, wait) {
        const settlement = await settler.settle(payment, wait);
        if (settlement.state === 'refused' && causedByPayer.has(settlement.reason))
          await refusals.count(network);
        return settlement;
      },
    },
  };
}
