import { type AttributionPorts, createAttribution } from './attribution.ts';
import { startMaintenanceLoop } from './maintenance-loop.ts';
import { type LanePorts, startLane } from './lane.ts';
import type { Relayer } from './nonce.ts';
import type { Settler } from './settler.ts';
import { createSignal } from './signal.ts';
import { createTokenWatch, type TokenWatchPorts } from './token-watch.ts';
import { createSettlementSubscribers, type SubscribersPorts } from './settlement-subscribers.ts';

export type BatchSettlerOptions = Omit<
  LanePorts,
  'announce' | 'askAgainMs' | 'closing' | 'isOurs' | 'relayer' | 'work' | 'tokenWatch' | 'ownFailures'
> &
  Pick<AttributionPorts, 'acceptThirdPartySenders'> &
  Pick<TokenWatchPorts, 'asset' | 'payTo'> &
  Pick<SubscribersPorts, 'settlementWaitMs' | 'askStoreMs'> & {
    /** One lane for each key. */
    readonly relayers: readonly Relayer[];
    /** How often finality, reorganisations and abandoned reservations are looked after. */
    readonly keepMs: number;
    readonly answerKeepSeconds: number;
    readonly refusedAnswerKeepSeconds: number;
  };

/** Settles on the chain from relayer keys of our own, many payments in one transaction where many wait. */
export function createBatchSettler(options: BatchSettlerOptions): Settler {
  const closing = new AbortController();
  const work = createSignal();
  const isOurs = createAttribution(options);
  const { waitFor, announce, dismiss } = createSettlementSubscribers({ ...options, isOurs, work, closing: closing.signal });
  const askAgainMs = options.limits.pollMsMax;
  const tokenWatch = createTokenWatch(options);
  const ports = { ...options, isOurs, announce, askAgainMs, closing: closing.signal, tokenWatch };
  const ownFailures = new Map<number, number>();
  const lanes = options.relayers.map((relayer) => startLane({ ...ports, relayer, work, ownFailures }));
  const maintenance = startMaintenanceLoop({ ...ports, work });

  return {
    // The gateway's own checks and its reading of the chain are all that the token asks for.
    verify: () => Promise.resolve({ kind: 'acceptable' }),
    settle: waitFor,
    /** One lane that is well is enough: it carries what the others cannot. */
    async trouble() {
      const [troubles, stopped] = await Promise.all([lookAtLanes(), tokenWatch.trouble()]);
      return troubles.length < lanes.length ? stopped : together(troubles);
    },
    async warning() {
      const troubles = await lookAtLanes();
      return troubles.length < lanes.length ? together(troubles) : null;
    },
    async close() {
      closing.abort();
      dismiss();
      await Promise.allSettled([...lanes.map((lane) => lane.done), maintenance.done]);
    },
  };

  async function lookAtLanes(): Promise<readonly string[]> {
    const looks = await Promise.all(lanes.map((lane) => lane.trouble()));
    return looks.filter((trouble) => trouble !== null);
  }
}

function together(troubles: readonly string[]): string | null {
  return [...new Set(troubles)].join('; ') || null;
}
