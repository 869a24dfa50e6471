import type { Result } from '../types/result.ts';

/**
 * The reason why a call to the node has no result. A refusal is a fact of the chain about the call. An outage
 * states nothing, and never that a payment is bad (rule R5, R8).
 */
export type RpcFault =
  /**
   * The node returned a JSON-RPC error, such as a revert or "nonce too low". `data` is the revert's, in hex.
   */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string; readonly data?: string }
  /** No usable response: network, deadline, overload, HTTP error, invalid JSON-RPC, or too large. */
  | { readonly kind: 'unavailable'; readonly message: string };

export type RpcCallOptions = {
  /** Replaces the deadline of the adapter. */
  readonly timeoutMs?: number | undefined;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
  /** A visitor of the page chose the parameters, so a failure says nothing about the endpoint (D-345). */
  readonly isForVisitor?: boolean | undefined;
};

export interface Rpc {
  /**
   * Calls one JSON-RPC method. `T` is the documented result of the method. The adapter does not check the
   * result, so a caller that moves money by it checks its shape.
   * Deadline and signal make the fault `unavailable`.
   */
  call<T>(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<Result<T, RpcFault>>;
  /**
   * Pins one endpoint, for readings that must agree. 0 is the endpoint for reads, 1 another endpoint if the
   * gateway has several. Absent with a single endpoint.
   */
  pinEndpoint?(which: 0 | 1): Rpc;
}

/** Pins one of several endpoints. Returns `rpc` itself where it has a single endpoint. */
export function pinEndpoint(rpc: Rpc, which: 0 | 1): Rpc {
  return rpc.pinEndpoint?.(which) ?? rpc;
}
