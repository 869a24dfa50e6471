import { fail, type Result } from '../types/result.ts';
import { isKnownTransaction, worthOf } from './answer-worth.ts';
import type { RpcFault } from './rpc.ts';
import type { Endpoint, RpcHealth } from './rpc-health.ts';

type Sent = Result<unknown, RpcFault>;

/** How long the others may still take once one has refused: what one node does not take, another may. */
const graceMs = 1_000;
/** Sends to one endpoint that it has not answered; one that hangs must not collect them. */
const unansweredMax = 16;

/**
 * Sends a signed transaction to every endpoint at once. The first that takes it, or has it, answers for all; the others end
 * by their own deadlines, and nobody waits for them. Sent twice, a transaction is sent once.
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
    const answers: Sent[] = [];
    let grace: NodeJS.Timeout | undefined;
    const conclude = (answer: Sent) => {
      clearTimeout(grace);
      resolve(answer);
    };
    for (const endpoint of endpoints) {
      void sendTo(endpoint, params).then((answer) => {
        if (answer.ok || isKnownTransaction(answer.fault)) return conclude(answer);
        answers.push(answer);
        // A refusal says more than silence.
        const refusal = answers.find((each) => !each.ok && each.fault.kind === 'refused');
        if (answers.length === endpoints.length) return conclude(refusal ?? answer);
        if (refusal) grace ??= setTimeout(conclude, graceMs, refusal);
      });
    }
    return promise;
  }

  async function sendTo(endpoint: Endpoint, params: readonly unknown[]): Promise<Sent> {
    unanswered.set(endpoint, waitingAt(endpoint) + 1);
    const answer = await endpoint.rpc.call<unknown>('eth_sendRawTransaction', params, { timeoutMs });
    unanswered.set(endpoint, waitingAt(endpoint) - 1);
    const worth = worthOf('eth_sendRawTransaction', params, answer);
    if (worth.kind !== 'none') return answer;
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
