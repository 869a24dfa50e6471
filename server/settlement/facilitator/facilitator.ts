import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import type { Address, Bytes32 } from '../../types/units.ts';

export type X402Version = 1 | 2;

/** One thing that a facilitator offers, as it says it; what is not ours to know is not looked at. */
export type OfferedKind = {
  readonly x402Version: number;
  readonly scheme: string;
  readonly network: string;
};

/** What a facilitator says of itself. `signers` are the addresses that it sends from; x402 v1 does not list them. */
export type Supported = {
  readonly kinds: readonly OfferedKind[];
  readonly signers: readonly Address[];
};

/** What a facilitator says of a payment before it is settled. `reason` is an x402 reason string. */
export type Verified = { readonly isValid: true } | { readonly isValid: false; readonly reason: string };

/** What a facilitator says that it did. None of it is believed before the chain says the same (D-55). */
export type Settled =
  | { readonly kind: 'done'; readonly txHash: Bytes32 }
  /** It did nothing, or nothing that moved the tokens. */
  | { readonly kind: 'refused'; readonly reason: string; readonly txHash: Bytes32 | null }
  /** The tokens may be on their way, or have moved already. */
  | { readonly kind: 'pending'; readonly reason: string; readonly txHash: Bytes32 | null };

/** No usable answer: network, deadline, HTTP error, or nothing that the protocol knows. Fit for a log. */
export type NoAnswer = string;

/** Somebody else who moves tokens for us (x402 v1 and v2, "facilitator interface"). */
export interface Facilitator {
  supported(): Promise<Result<Supported, NoAnswer>>;
  verify(version: X402Version, payment: PaymentRecord): Promise<Result<Verified, NoAnswer>>;
  /** Safe to repeat: the token takes a nonce once, whoever sends it and however often. `signal` ends the wait. */
  settle(
    version: X402Version,
    payment: PaymentRecord,
    signal: AbortSignal,
  ): Promise<Result<Settled, NoAnswer>>;
  /** Ends the connections once the calls on them are answered. */
  close(): Promise<void>;
}
