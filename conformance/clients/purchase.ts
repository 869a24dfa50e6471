import type { Ended } from './recording.ts';

/** The amounts and names of every purchase. Amounts are in the token's smallest unit. */
export const priceUnits = 2_500n;
/** The cap of common x402 clients, so that a client with only this cap can be judged. */
export const priceMaxUnits = 100_000n;
export const model = 'conformance/model';
export const payTo = '0x00000000000000000000000000000000005e11e5';
export const offerValiditySeconds = 300;

/** What a command needs to buy one completion. */
export type Purchase = {
  readonly gatewayUrl: string;
  readonly keyFile: string;
  readonly token: string;
  readonly rpcUrl: string;
  /** The gateway streams a completion if the request asks for a stream. */
  readonly isStreamed: boolean;
};

/** Buys one completion: the command that is judged, or a mutant. */
export type Buyer = (purchase: Purchase, signal?: AbortSignal) => Promise<Ended>;
