import type { ErrorCode } from '@paid-inference/contract/errors';
import type { Address } from '../types/units.ts';
import type { RequestLine } from './request-log.ts';
import type { SaleNote } from './sale-note.ts';

/** The log line of a request, with its sale or its refusal. */
export type EndedRequest = RequestLine & SaleNote & { readonly code?: ErrorCode; readonly reason?: string };

/** Sees every request of the gateway. */
export type RequestObserver = {
  began(): void;
  /** Called after the end of the response. `route` is the path of the contract; null for an unknown path. */
  ended(request: EndedRequest, route: string | null): void;
};

/** The gas of a transaction in a block. */
export type GasCost = { readonly used: bigint; readonly weiPerGas: bigint };

/** A settlement transaction in a block. */
type MinedSettlement = {
  readonly payments: number;
  readonly isReverted: boolean;
  /** Null where the node does not show it. */
  readonly gas: GasCost | null;
};

/** The ether of a relayer, and the price of a unit of gas. */
export type RelayerBalance = {
  readonly relayer: Address;
  readonly wei: bigint;
  readonly weiPerGas: bigint;
  /** The ether covers no payment. Its reserve is larger than the gas that payments use. */
  readonly isEmpty: boolean;
};

/** Sees the transactions of the relayers. */
export type SettlementObserver = {
  mined(settlement: MinedSettlement): void;
  /** Called after each reading of the balance. */
  gasBalance(balance: RelayerBalance): void;
};

/** A request at its begin. `isPaying`: it has a payment. */
type BegunRequest = {
  readonly requestId: string;
  readonly method: string;
  readonly route: string | null;
  readonly isPaying: boolean;
};

/** Sees the steps of requests, for traces and for `Server-Timing`. */
export type RequestTracer = {
  /** Null for a request that no observer wants to see. */
  begin(request: BegunRequest): RequestTrace | null;
};

type RequestTrace = {
  /** Runs the work of the request. Its steps belong to this trace. */
  run<T>(work: () => T): T;
  /** The headers of the response that show the steps so far. */
  headers(): Readonly<Record<string, string>>;
  /** Called after the end of the response. */
  end(request: EndedRequest): void;
};
