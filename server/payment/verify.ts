import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Brand, type Hex, parseHex } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';

/** A payment whose signature is `from`'s. Only `verifyPayment` makes one. */
export type VerifiedPayment = Brand<
  Omit<SubmittedPayment, 'signature'> & { readonly signature: Hex },
  'VerifiedPayment'
>;

/** A verified payment that is the one its request costs. Only `checkTerms` makes one. */
export type AcceptablePayment = VerifiedPayment & Brand<object, 'AcceptablePayment'>;

/** Answered with 401 (D-04). */
export type SignatureFault = { readonly message: string };

/** Recovers the address that signed a digest; null when the curve has no answer. */
export interface SignatureRecovery {
  /** Its name in the start-up log. */
  readonly name: string;
  /** `rs` is 64 bytes, `recovery` 0 or 1; `s` was already found to be low. */
  recover(digest: Uint8Array, rs: Uint8Array, recovery: 0 | 1): Address | null;
}

/** Digest of an authorization in the domain of the configured token (contract 4.4). */
export type AuthorizationDigest = (authorization: SubmittedPayment['authorization']) => Uint8Array;

const signatureBytes = 65;
/** Half the order of secp256k1: the token refuses the upper half, and so do we (D-04, EIP-2). */
const lowSMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** Decides whether a payment was signed by its payer. Faults are 401: a wrong length, hex, `s`, `v`, or signer (D-04). */
export function verifyPayment(
  payment: SubmittedPayment,
  digestOf: AuthorizationDigest,
  recovery: SignatureRecovery,
): Result<VerifiedPayment, SignatureFault> {
  const signature = parseHex(payment.signature);
  if (signature === null) return fail({ message: 'The signature is not 0x-prefixed hex.' });
  const bytes = Buffer.from(signature.slice(2), 'hex');
  if (bytes.length !== signatureBytes) {
    return fail({ message: `The signature must be ${signatureBytes} bytes; it has ${bytes.length}.` });
  }
  if (BigInt(`0x${bytes.toString('hex', 32, 64)}`) > lowSMax) {
    return fail({ message: 'The signature has a high s; the token accepts only the low one.' });
  }
  const v = bytes[64] ?? 0;
  const parity = v === 0 || v === 27 ? 0 : v === 1 || v === 28 ? 1 : null;
  if (parity === null) return fail({ message: 'The v of the signature must be 27 or 28.' });
  const signer = recovery.recover(digestOf(payment.authorization), bytes.subarray(0, 64), parity);
  if (signer !== payment.authorization.from) {
    return fail({
      message: 'The signature is not that of from over this authorization in the offered domain.',
    });
  }
  return ok({ ...payment, signature } as VerifiedPayment);
}
