import { parseCount } from '../chain/chain-view.ts';
import type { HttpRpc } from '../chain/http-rpc.ts';
import type { RpcFault } from '../chain/rpc.ts';
import type { Clock } from '../types/clock.ts';
import type { Result } from '../types/result.ts';
import type { Instruments } from './instruments.ts';
import type { EndpointName } from './telemetry.ts';

type Ports = { readonly instruments: Instruments; readonly clock: Clock };

/** Measures the calls to one RPC endpoint. Its label is its place, because even the host of a URL may hold an account. */
export function observeRpc(
  rpc: HttpRpc,
  { chain, place }: EndpointName,
  { instruments, clock }: Ports,
): HttpRpc {
  const endpoint = { chain, endpoint: String(place) };
  let newest = 0;
  return {
    ...rpc,
    async call<T>(...parameters: Parameters<HttpRpc['call']>): Promise<Result<T, RpcFault>> {
      const [method, , options] = parameters;
      const startedAt = clock.monotonicMs();
      const response = await rpc.call<T>(...parameters);
      // A caller that no longer waits says nothing about the endpoint.
      if (options?.signal?.aborted) return response;
      const result = nameResult(response);
      instruments.paid_inference_rpc_duration_seconds.observe(
        endpoint,
        (clock.monotonicMs() - startedAt) / 1_000,
      );
      instruments.paid_inference_rpc_calls_total.inc({ ...endpoint, method, result });
      if (result !== 'unavailable') instruments.paid_inference_rpc_endpoint_up.set(endpoint, 1);
      else if (!options?.isForVisitor) instruments.paid_inference_rpc_endpoint_up.set(endpoint, 0);
      if (method === 'eth_getBlockByNumber' && response.ok) noteBlock(response.value);
      return response;
    },
  };

  function noteBlock(block: unknown): void {
    const number = parseCount((block as { readonly number?: unknown } | null)?.number) ?? 0;
    if (number <= newest) return;
    newest = number;
    instruments.paid_inference_rpc_endpoint_block.set(endpoint, newest);
  }
}

function nameResult(response: Result<unknown, RpcFault>): 'ok' | RpcFault['kind'] {
  return response.ok ? 'ok' : response.fault.kind;
}
