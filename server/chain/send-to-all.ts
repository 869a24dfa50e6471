import { fail, type Result } from '../types/result.ts';
import { assessResponse, isKnownTransaction } from './assess-response.ts';
import type { RpcFault } from './rpc.ts';
import type { Endpoint, RpcHealth } from './rpc-health.ts';

type Sent = Result<unknown, RpcFault>;

/** Time for the other endpoints after one has refused, because one node may accept what another rejects. */
const graceMs = 1_000;
/** Most unanswered sends to one endpoint, so that a hanging endpoint does not collect them. */
const unansweredMax = 16;

/**
 * Sends a signed transaction to every endpoint at once. The result is that of the first endpoint that accepts
 * or has the transaction. The other calls end by their own deadlines. A transaction that is sent twice still
 * runs once.
 */
export function createSender(
  health: RpcHealth,
  timeoutMs: number,
): (params: readonly unknown[]) => Promise<Sent> {
  const unanswered = new Map<Endpoint, number>();
  return (params) => {
    const endpoints = health.sendable().filter((endpoint) => waitingAt(endpoint) < unansweredMax);
    return endpoints.length > 0
      ? sendToAll(endpoints, params)
      : Promise.resolve(unavailable(health.healthIssue()));
  };

  function sendToAll(endpoints: readonly Endpoint[], params: readonly unknown[]): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<Sent>();
    const responses: Sent[] = [];
    let grace: NodeJS.Timeout | undefined;
    const conclude = (response: Sent) => {
      clearTimeout(grace);
      resolve(response);
    };
    for (const endpoint of endpoints) {
      void sendTo(endpoint, params).then((response) => {
        if (response.ok || isKnownTransaction(response.fault)) return conclude(response);
        responses.push(response);
        // A refusal is more specific than an outage.
        const refusal = responses.find((each) => !each.ok && each.fault.kind === 'refused');
        if (responses.length === endpoints.length) return conclude(refusal ?? response);
        if (refusal) grace ??= setTimeout(conclude, graceMs, refusal);
      });
    }
    return promise;
  }

  async function sendTo(endpoint: Endpoint, params: readonly unknown[]): Promise<Sent> {
    unanswered.set(endpoint, waitingAt(endpoint) + 1);
    const response = await endpoint.rpc.call<unknown>('eth_sendRawTransaction', params, { timeoutMs });
    unanswered.set(endpoint, waitingAt(endpoint) - 1);
    const worth = assessResponse('eth_sendRawTransaction', params, response);
    if (worth.kind !== 'none') return response;
    health.lose(endpoint, worth.reason);
    return unavailable(worth.reason);
  }

  function waitingAt(endpoint: Endpoint): number {
    return unanswered.get(endpoint) ?? 0;
  }
}

function unavailable(message: string): Sent {
  return fail({ kind: 'unavailable', message });
}
