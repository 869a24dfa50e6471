import { fail, ok, type Result } from '../types/result.ts';
import { type Address, type Brand, type Hex, parseHex } from '../types/units.ts';
import type { SubmittedPayment } from './decode.ts';

/** A payment that `from` signed. Only `verifyPayment`, and for contract wallets `wallet.ts`, make one. */
export type VerifiedPayment = Brand<
  Omit<SubmittedPayment, 'signature'> & { readonly signature: Hex },
  'VerifiedPayment'
>;

/** A verified payment that matches its request. Only `checkTerms` makes one. */
export type AcceptablePayment = VerifiedPayment & Brand<object, 'AcceptablePayment'>;

/** The gateway returns 401 (D-04). */
export type SignatureFault = { readonly message: string };

/** Recovers the address that signed a digest; null if there is none. */
export interface SignatureRecovery {
  /** The name in the start-up log. */
  readonly name: string;
  /** `rs` is 64 bytes, `recovery` 0 or 1. The caller has checked that `s` is low. */
  recover(digest: Uint8Array, rs: Uint8Array, recovery: 0 | 1): Address | null;
}

/** The digest of an authorization in the domain of the configured token (contract §4.4). */
export type AuthorizationDigest = (authorization: SubmittedPayment['authorization']) => Uint8Array;

const signatureBytes = 65;
/** Half the order of secp256k1. The token rejects a larger `s`, and so does the gateway (D-04, EIP-2). */
const lowSMax = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Checks that the payer signed the payment. A wrong length, hex, `s`, `v` or signer is a fault, which becomes
 * 401 (D-04).
 */
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
      message: 'The signature is not by from over this authorization in the offered domain.',
    });
  }
  return ok({ ...payment, signature } as VerifiedPayment);
}
