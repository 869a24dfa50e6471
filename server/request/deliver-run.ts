import { setImmediate as nextTurn } from 'node:timers/promises';
import { makeReceipt } from '../payment/receipt.ts';
import type { LiveRun } from './live-parts.ts';
import { hasLeft, orLeft } from './or-left.ts';
import type { Outcome, WorkResult } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { begunElsewhere, paid, presentSettlement } from './present-settlement.ts';
import { withinWait } from './retry-write.ts';

/** The place of a request among the works in progress; see `InFlight.join`. */
type Place = {
  readonly key: string;
  readonly left: AbortSignal;
  readonly purchase?: string | undefined;
  /** Whether the store knows the payment, for this request. */
  readonly isBought: () => Promise<boolean>;
};

type Shared = { readonly result: Outcome; readonly key: string; readonly joined: boolean };

/** A second work begins when the run of the first one broke. */
const worksMax = 2;
/** A request waits for at most so many works of other requests. The gateway refuses each of them soon. */
const otherWorksMax = 10;

/**
 * Runs or joins the work of a payment, and delivers its run. Null when the payment runs for another request. Anyone can
 * send a payment that is public on the chain with another request, which delays the payer's request only (D-399).
 */
export async function shareWork(
  request: PricedRequest,
  { key, left, purchase, isBought }: Place,
  work: (everybodyLeft: AbortSignal) => Promise<WorkResult>,
  ports: PaidPorts,
): Promise<Shared | null> {
  let others = 0;
  for (let works = 0; works < worksMax && others < otherWorksMax; ) {
    const shared = await ports.inFlight.join(key, request.fingerprint, left, work, purchase);
    if (shared === null) {
      if (!(await isBought())) return null;
      others += 1;
      if ((await orLeft(ports.inFlight.ended(key), left)) === hasLeft) break;
      continue;
    }
    // A client that left gets no response.
    if (shared === 'crowded' || shared === 'left') break;
    works += 1;
    const { result } = shared;
    if (result.kind !== 'running') return { ...shared, result };
    const delivered = await deliverRun(request, { run: result.run, left, replayed: shared.joined }, ports);
    if (delivered !== null) return { ...shared, result: delivered };
    if ((await orLeft(result.run.whole, left)) === hasLeft) break;
    // The work of a broken run ends in this turn, unless the store is away.
    await nextTurn();
  }
  return { result: begunElsewhere, key, joined: true };
}

/**
 * Delivers a run to one client once the chain shows the payment (D-272): live if the request asks for a stream, else
 * whole. Null if the run broke before: another run is needed. Ends when the client leaves, because the request holds its
 * body (D-432).
 */
async function deliverRun(
  request: PricedRequest,
  { run, left, replayed }: { readonly run: LiveRun; readonly left: AbortSignal; readonly replayed: boolean },
  ports: PaidPorts,
): Promise<Outcome | null> {
  if (!request.isStreamed) {
    if ((await orLeft(run.ended, left)) === hasLeft) return begunElsewhere;
    const whole = await withinWait(run.whole, ports);
    if (whole === 'later') return begunElsewhere;
    if (whole === null) return null;
  }
  const settlement = await orLeft(settleRun(run, ports), left);
  if (settlement === hasLeft) return begunElsewhere;
  if (settlement.state !== 'settled') {
    const whole = run.state === 'ended' ? await run.whole : null;
    return presentSettlement(request, whole ?? run.payment, settlement, replayed);
  }
  const { txHash } = settlement;
  if (run.state === 'open') {
    const { id: paymentId } = run.payment;
    const receipt = makeReceipt(run.payment, txHash);
    return { kind: 'streaming', paymentId, receipt, replayed, events: run.events };
  }
  const whole = await run.whole;
  return whole && paid(whole, txHash, replayed);
}

/** A run that the chain refuses is not sold, also if its clients have left. */
async function settleRun(run: LiveRun, { settler }: PaidPorts) {
  const settlement = await settler.settle(run.payment, { keepsPlace: true });
  if (settlement.state === 'refused') run.stop();
  return settlement;
}
