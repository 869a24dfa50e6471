import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import type { Address, Bytes32 } from '../../types/units.ts';

export type X402Version = 1 | 2;

/** One kind of payment that a facilitator offers. Unknown members are ignored. */
export type OfferedKind = {
  readonly x402Version: number;
  readonly scheme: string;
  readonly network: string;
};

/**
 * The response to `/supported`. `signers` are the facilitator's sending addresses; x402 v1 does not list them.
 */
export type Supported = {
  readonly kinds: readonly OfferedKind[];
  readonly signers: readonly Address[];
};

/** The response to `/verify`. `reason` is an x402 reason string. */
export type Verified = { readonly isValid: true } | { readonly isValid: false; readonly reason: string };

/** The response to `/settle`. It counts only if the chain agrees (D-55). */
export type Settled =
  | { readonly kind: 'done'; readonly txHash: Bytes32 }
  /** The facilitator did nothing, or nothing that moved the tokens. */
  | { readonly kind: 'refused'; readonly reason: string; readonly txHash: Bytes32 | null }
  /** The tokens may move, or have moved already. */
  | { readonly kind: 'pending'; readonly reason: string; readonly txHash: Bytes32 | null };

/** No usable response: network, deadline, HTTP error, or content outside the protocol. Safe for a log. */
export type NoResponse = string;

/** A service that moves tokens for the gateway (x402 v1 and v2, "facilitator interface"). */
export interface Facilitator {
  supported(): Promise<Result<Supported, NoResponse>>;
  verify(version: X402Version, payment: PaymentRecord): Promise<Result<Verified, NoResponse>>;
  /** May be repeated: the token accepts a nonce once, from any sender. `signal` ends the wait. */
  settle(
    version: X402Version,
    payment: PaymentRecord,
    signal: AbortSignal,
  ): Promise<Result<Settled, NoResponse>>;
  /** Closes the connections after the last response. */
  close(): Promise<void>;
}
