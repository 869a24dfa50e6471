import { setTimeout as after } from 'node:timers/promises';
import { isServed } from './book.ts';
import type { Seen } from './connections.ts';
import type { Law } from './laws.ts';
import { readNow } from './watch-metrics.ts';

/** As long as a payer waits after `Retry-After` of an overload, with a few seconds more. */
const recoveryMsMax = 5_000;
const watchedMsMax = 60_000;
const pollMs = 100;

export type RecoveryPorts = {
  readonly url: string;
  readonly adminUrl: string;
  /** Sends one paid request. */
  readonly pay: () => Promise<Seen>;
  /** The longest time of a paid request of a gateway that has recovered. */
  readonly normalMs: number;
  /** The end of the load. */
  readonly endedAtMs: number;
};

type State = {
  readonly isReady: boolean;
  readonly queue: number;
  readonly paidMs: number | null;
};

/** Waits until the gateway is ready, has an empty queue, and serves a paid request in its normal time. */
export async function watchRecovery(ports: RecoveryPorts): Promise<Law> {
  const { endedAtMs, normalMs } = ports;
  for (;;) {
    const state = await readState(ports);
    const tookMs = performance.now() - endedAtMs;
    const { isReady, queue, paidMs } = state;
    const hasRecovered = isReady && queue === 0 && paidMs !== null && paidMs <= normalMs;
    if (hasRecovered || tookMs > watchedMsMax) {
      const paid = paidMs === null ? 'no completion' : `a paid request took ${paidMs.toFixed(0)} ms`;
      return {
        name: `recovery: within ${recoveryMsMax / 1_000} s the gateway is ready, its queue is empty, and a paid request takes at most ${normalMs.toFixed(0)} ms`,
        holds: hasRecovered && tookMs <= recoveryMsMax,
        figures: `${(tookMs / 1_000).toFixed(1)} s, ${paid}, ${queue} payments wait`,
      };
    }
    await after(pollMs);
  }
}

async function readState({ url, adminUrl, pay }: RecoveryPorts): Promise<State> {
  const ready = await fetch(`${url}/ready`).catch(() => null);
  await ready?.body?.cancel();
  const reading = await readNow(adminUrl).catch(() => null);
  const startedAt = performance.now();
  const seen = await pay();
  return {
    isReady: ready?.status === 200,
    queue: reading?.settlementQueue ?? Number.POSITIVE_INFINITY,
    paidMs: isServed(seen) ? performance.now() - startedAt : null,
  };
}
