import type { PurchaseStore } from '../purchase.ts';
import type { PostgresPorts } from './ports.ts';

export function purchaseOperations({ connections: { run }, time }: PostgresPorts): PurchaseStore {
  return {
    async recordDeliveries(ids) {
      await run(
        'UPDATE paid_inference.purchase SET is_delivered = true WHERE payment_id = ANY ($1) AND NOT is_delivered',
        ids,
      );
    },

    async pruneJoins(now, max) {
      const { changes } = await run(
        `DELETE FROM paid_inference.joined WHERE ctid IN (
           SELECT j.ctid FROM paid_inference.joined j WHERE j.kept_until < $1 AND NOT EXISTS (
             SELECT 1 FROM paid_inference.payment p WHERE p.id = j.payment_id AND (p.completion IS NOT NULL OR p.is_owed))
           ORDER BY j.kept_until LIMIT $2)`,
        time.toServer(now),
        max,
      );
      return changes;
    },
  };
}
