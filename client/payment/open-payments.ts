import type { SignedPayment } from './authorization.ts';

/**
 * Authorizations with an unknown outcome, by fingerprint of their request. A repeated request sends the same
 * authorization again, so that an SDK that retries does not pay twice.
 */
export type OpenPayments = {
  keep(fingerprint: string, payment: SignedPayment): void;
  /** Removes an authorization that is used. */
  drop(payment: SignedPayment): void;
  /** Removes and returns an authorization. Null when there is none that the chain still accepts. */
  take(fingerprint: string, nowSeconds: number): SignedPayment | null;
};

/** Keeps at most `countMax` authorizations. The oldest one goes first, because it has most likely expired. */
export function createOpenPayments(countMax: number): OpenPayments {
  let open: { readonly fingerprint: string; readonly payment: SignedPayment }[] = [];
  return {
    keep(fingerprint, payment) {
      open.push({ fingerprint, payment });
      if (open.length > countMax) open.shift();
    },
    drop(payment) {
      open = open.filter((entry) => entry.payment !== payment);
    },
    take(fingerprint, nowSeconds) {
      open = open.filter(({ payment }) => nowSeconds < payment.authorization.validBefore);
      const index = open.findIndex((entry) => entry.fingerprint === fingerprint);
      return index === -1 ? null : (open.splice(index, 1)[0]?.payment ?? null);
    },
  };
}
