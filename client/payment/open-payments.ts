import type { SignedPayment } from './authorization.ts';

/**
 * Authorizations whose outcome nobody knows, by what they buy. Asking again for the same presents the same one: an
 * SDK that repeats a failed request would otherwise pay for it twice.
 */
export type OpenPayments = {
  keep(fingerprint: string, payment: SignedPayment): void;
  /** Hands one out, to one caller only; null where none is left that the chain would still take. */
  take(fingerprint: string, nowSeconds: number): SignedPayment | null;
};

/** The oldest is forgotten beyond `countMax`; it has then most likely expired. */
export function createOpenPayments(countMax: number): OpenPayments {
  let open: { readonly fingerprint: string; readonly payment: SignedPayment }[] = [];
  return {
    keep(fingerprint, payment) {
      open.push({ fingerprint, payment });
      if (open.length > countMax) open.shift();
    },
    take(fingerprint, nowSeconds) {
      open = open.filter(({ payment }) => nowSeconds < payment.authorization.validBefore);
      const index = open.findIndex((entry) => entry.fingerprint === fingerprint);
      return index === -1 ? null : (open.splice(index, 1)[0]?.payment ?? null);
    },
  };
}
