import type { Result } from '../types/result.ts';

/**
 * Why a call to the node has no result. The two must never be mixed up: a refusal is the chain's word about what was
 * asked, an outage says nothing at all, least of all that a payment is bad (rule R5, R8).
 */
export type RpcFault =
  /** The node answered with a JSON-RPC error, such as a revert or "nonce too low". `data` is a revert's, in hex. */
  | { readonly kind: 'refused'; readonly code: number; readonly message: string; readonly data?: string }
  /** No usable answer: network, deadline, overload, HTTP error, not JSON-RPC, or too large. */
  | { readonly kind: 'unavailable'; readonly message: string };

export interface Rpc {
  /**
   * Calls one JSON-RPC method. `T` is what the method is documented to return: the adapter does not look inside, so
   * a caller that lets money depend on the answer checks its shape.
   * `timeoutMs` replaces the adapter's deadline; `signal` ends the wait early. Both make the fault `unavailable`.
   */
  call<T>(
    method: string,
    params: readonly unknown[],
    options?: { timeoutMs?: number; signal?: AbortSignal },
  ): Promise<Result<T, RpcFault>>;
  /**
   * The chain through one endpoint, for readings that must fit together: 0 is the one that is read from, 1 another one where
   * there is another. Absent where there is one endpoint only.
   */
  witness?(which: 0 | 1): Rpc;
}

/** That endpoint where there are several, and the only one where there is one. */
export function pinEndpoint(rpc: Rpc, which: 0 | 1): Rpc {
  return rpc.witness?.(which) ?? rpc;
}
