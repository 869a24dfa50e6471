import type { JournaledTransaction, OpenNonce, PaymentRecord } from './store.ts';

/**
 * Groups a relayer's transactions by relayer nonce, with their payments. The transactions come lowest nonce
 * first.
 */
export function groupByNonce(
  transactions: readonly JournaledTransaction[],
  submitted: readonly { readonly relayerNonce: number; readonly payment: PaymentRecord }[],
): readonly OpenNonce[] {
  const byNonce = Map.groupBy(transactions, ({ relayerNonce }) => relayerNonce);
  const payments = Map.groupBy(submitted, ({ relayerNonce }) => relayerNonce);
  return [...byNonce].map(([relayerNonce, group]) => ({
    relayerNonce,
    transactions: group,
    payments: (payments.get(relayerNonce) ?? []).map(({ payment }) => payment),
  }));
}

export function describeStaleLease(relayer: string, fence: number): string {
  return `the lease of relayer ${relayer} is no longer held under fence ${fence}`;
}

export function unfinishedNonce(relayerNonce: number, id: number): string {
  return `relayer nonce ${relayerNonce} cannot be closed: payment ${id} is still submitted with it`;
}

export function notHandedOver(id: number): string {
  return `payment ${id} cannot be handed over to a facilitator, because it is not executed`;
}
