import { fail, ok, type Result } from '../types/result.ts';
import { assessResponse } from './assess-response.ts';
import type { HttpRpc } from './http-rpc.ts';
import type { Rpc, RpcCallOptions, RpcFault } from './rpc.ts';
import { createRpcHealth, type Endpoint, type HealthPorts, type RpcHealth } from './rpc-health.ts';
import { createSender } from './send-to-all.ts';

export type ManyRpcOptions = HealthPorts & {
  /** Limits a whole call over all its endpoints. */
  readonly timeoutMs: number;
};

/**
 * Uses several endpoints of one chain (D-59). Reads stay with one endpoint while it responds and keeps up; else
 * they go to the next within the caller's deadline. Transactions go to all endpoints at once. The faults are
 * sentences about endpoints of another chain. The gateway probes an endpoint that does not respond in the
 * background.
 */
export async function openManyRpc(options: ManyRpcOptions): Promise<Result<HttpRpc, readonly string[]>> {
  const { rpcs, clock, timeoutMs } = options;
  const health = createRpcHealth(options);
  const faults = await health.start();
  const close = async () => {
    health.close();
    await Promise.all(rpcs.map((rpc) => rpc.close()));
  };
  if (faults.length > 0) {
    await close();
    return fail(faults);
  }
  const send = createSender(health, timeoutMs);
  let turn = 0;

  const manyRpc: HttpRpc = {
    async call<T>(method: string, params: readonly unknown[], given: RpcCallOptions = {}) {
      const deadline = clock.monotonicMs() + (given.timeoutMs ?? timeoutMs);
      const left = () => Math.ceil(deadline - clock.monotonicMs());
      if (health.readable().length === 0) await soon(health.probeInNeed(), left(), given.signal);
      const response =
        method === 'eth_sendRawTransaction'
          ? await send(params)
          : await read(health, method, params, left, given);
      return response as Result<T, RpcFault>;
    },
    pinEndpoint(which) {
      const [first, ...others] = health.readable();
      const endpoint = which === 0 ? first : (others[turn++ % others.length] ?? first);
      return endpoint === undefined ? manyRpc : pinned(endpoint, health);
    },
    close,
  };
  return ok(manyRpc);
}

/** Calls one endpoint after the other until one states a fact of the chain. */
async function read(
  health: RpcHealth,
  method: string,
  params: readonly unknown[],
  leftMs: () => number,
  { signal, isForVisitor = false }: Pick<RpcCallOptions, 'signal' | 'isForVisitor'>,
): Promise<Result<unknown, RpcFault>> {
  const asked: Endpoint[] = [];
  let silence: string | null = null;
  let unsure: Result<unknown, RpcFault> | null = null;
  for (;;) {
    const others = health.readable().filter((endpoint) => !asked.includes(endpoint));
    const [endpoint] = others;
    if (endpoint === undefined || leftMs() <= 0 || signal?.aborted) break;
    asked.push(endpoint);
    // Each endpoint gets a share of the time left, so that a hanging endpoint leaves time for the others.
    const options = { timeoutMs: Math.ceil(leftMs() / others.length), signal, isForVisitor };
    const response = await endpoint.rpc.call<unknown>(method, params, options);
    const worth = assessResponse(method, params, response);
    if (worth.kind === 'chain') return response;
    if (worth.kind === 'cannot-tell') unsure ??= response;
    else if (!signal?.aborted) {
      if (!isForVisitor) health.lose(endpoint, worth.reason);
      silence = worth.reason;
    }
  }
  if (signal?.aborted) return unavailable('the caller no longer waits');
  if (silence === null && unsure !== null) return unsure;
  // "Cannot tell" counts as the result only when no other endpoint failed to respond.
  return unavailable(silence === null || health.readable().length === 0 ? health.healthIssue() : silence);
}

/** Calls one endpoint only, so that several readings show one view of the chain. */
function pinned(endpoint: Endpoint, health: RpcHealth): Rpc {
  return {
    async call<T>(method: string, params: readonly unknown[], options: RpcCallOptions = {}) {
      const response = await endpoint.rpc.call<T>(method, params, options);
      const worth = assessResponse(method, params, response);
      if (worth.kind !== 'none' || options.signal?.aborted) return response;
      health.lose(endpoint, worth.reason);
      return unavailable(worth.reason);
    },
  };
}

function unavailable(message: string): { readonly ok: false; readonly fault: RpcFault } {
  return fail({ kind: 'unavailable', message });
}

/** Waits for the promise, `timeoutMs` at the most. */
async function soon(
  wanted: Promise<void>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const leave = () => late.resolve();
  const timer = setTimeout(leave, timeoutMs);
  signal?.addEventListener('abort', leave);
  await Promise.race([wanted, late.promise]);
  clearTimeout(timer);
  signal?.removeEventListener('abort', leave);
}
