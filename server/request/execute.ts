import type { AcceptablePayment } from '../payment/signature.ts';
import type { PaymentRecord } from '../store/store.ts';
import { askSettler } from './ask-settler.ts';
import { countRefused } from './client-settler.ts';
import { executeStreamed, isShownEarly } from './execute-streamed.ts';
import { executeWhole } from './execute-whole.ts';
import type { Place } from './inference-slots.ts';
import { joinEarlier, type NewPayment, replayBought } from './join.ts';
import { type Outcome, uncharged, type WorkResult } from './outcome.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';
import { begunElsewhere, revertsBefore, spentElsewhere } from './present-settlement.ts';
import type { KeyedPurchase } from './purchase.ts';
import { lookUp, replayKnown } from './replay.ts';
import { reserve } from './reserve.ts';
import { releasePayment } from './retry-write.ts';
import { countPlaces, makeRoom } from './working-places.ts';

const retryAfterSeconds = 1;
/** A paused token usually stays paused for a while. */
const stoppedRetryAfterSeconds = 30;
const notSold = uncharged(
  'The gateway accepts no new payments now; the same payment may be sent again later. GET /ready says why.',
  5,
);

/** The purchase of one payment, and the clients that wait for it. */
type Waiting = {
  readonly purchase: KeyedPurchase;
  /** The network of the client that sent the payment first (D-133). */
  readonly network: string;
  readonly everybodyLeft: AbortSignal;
};

/**
 * Executes a payment once for all requests with the same authorization. It asks the store first: a payment that
 * the store knows needs no chain, no upstream and no free capacity (D-160). A new payment needs a place before anything
 * is counted or reserved, and a slot of its model before the inference (D-313). The place may be that of a request that
 * only waits for a settlement, which leaves it once the new payment is reserved (D-359).
 */
export async function executeAndSettle(
  request: PricedRequest,
  payment: AcceptablePayment,
  { purchase, network, everybodyLeft }: Waiting,
  ports: PaidPorts,
): Promise<WorkResult> {
  // Read before the first `await`: later the count would include this request.
  const isFull = countPlaces(ports) >= ports.limits.concurrentInferencesMax;
  const bought = { payment, purchase };
  const found = await lookUp(request, payment.authorization, ports, purchase);
  const isOther = found !== null && found.authorization.nonce !== payment.authorization.nonce;
  const tooMany = isOther ? await ports.admitPayer(payment.authorization.from) : null;
  if (tooMany !== null) return { kind: 'rate-limited', ...tooMany };
  const joined = isOther ? await joinEarlier(request, bought, ports) : null;
  if (joined !== null) return replayBought(request, joined, bought, ports);
  const known = isOther ? null : found;
  if (known !== null && known.state !== 'reserved') return replayKnown(request, known, ports);
  if (isFull)
    return known === null ? { kind: 'overloaded', full: 'gateway', retryAfterSeconds } : begunElsewhere;
  const { from: payer } = payment.authorization;
  const issue = await ports.saleIssue(request.task.model, payer);
  if (issue !== null) return known === null ? notSold : begunElsewhere;
  // Before any call to the chain: a refused payment costs its sender nothing, and calls may have a quota (D-227).
  const wait = known === null ? await ports.refusals.findWait(network) : null;
  if (wait !== null) return { kind: 'too-many-refusals', ...wait };
  const place = ports.slots.enter({ model: request.task.model, payer, site: request.site });
  if (typeof place === 'string')
    return known === null ? { kind: 'overloaded', full: place, retryAfterSeconds } : begunElsewhere;
  try {
    // A payment that the store knows does not count against the payer: on the chain it is public, and anyone can
    // send it again (D-32).
    const refusedPayer = known === null ? await ports.admitPayer(payer) : null;
    if (refusedPayer !== null) return { kind: 'rate-limited', ...refusedPayer };
    return await reserveAndExecute(request, bought, { network, everybodyLeft, place }, ports);
  } finally {
    place.leave();
  }
}

/** Reserves the payment, and runs its inference. */
async function reserveAndExecute(
  request: PricedRequest,
  bought: NewPayment,
  { network, everybodyLeft, place }: Omit<Waiting, 'purchase'> & { readonly place: Place },
  ports: PaidPorts,
): Promise<WorkResult> {
  const { payment, purchase } = bought;
  const reserved = await reserve(request, payment, { purchase, everybodyLeft }, ports);
  switch (reserved.kind) {
    case 'known':
      return replayBought(request, reserved.payment, bought, ports);
    case 'reserved':
      // The size includes this request. A settlement goes on without its request, and an inference does not.
      makeRoom(ports);
      countRefused(reserved.payment.id, network, ports);
      return execute(request, reserved.payment, { everybodyLeft, place }, ports);
    case 'spent':
      reportSpent(payment, ports);
      await ports.refusals.count(network);
      return notReserved(request, reserved);
    case 'reverting':
    case 'insufficient':
    case 'blocked':
      await ports.refusals.count(network);
      return notReserved(request, reserved);
    default:
      return notReserved(request, reserved);
  }
}

/** Logs a possible refund case: a store that lost its last payments refuses payers who paid (D-235). */
function reportSpent({ authorization }: AcceptablePayment, { log }: PaidPorts): void {
  const { from, to, value, nonce } = authorization;
  log.warn(
    { payer: from, payTo: to, amount: String(value), nonce },
    'A payment was spent before this store knew it, so it buys nothing. If this store is an old copy, and the tokens arrived, pay them back.',
  );
}

/** Nothing was reserved, or the reservation was released. */
function notReserved(
  request: PricedRequest,
  reserved: Exclude<Awaited<ReturnType<typeof reserve>>, { kind: 'known' | 'reserved' }>,
): Outcome {
  switch (reserved.kind) {
    case 'unavailable':
      return uncharged('The chain cannot be asked for the balance.', retryAfterSeconds);
    case 'spent':
      return spentElsewhere(request.quote);
    case 'reverting':
      return revertsBefore(request.quote);
    case 'stopped':
      return uncharged(
        'The payment token accepts no transfers to the recipient now.',
        stoppedRetryAfterSeconds,
      );
    case 'balance-unknown':
      return uncharged('The balance changes faster than the gateway can read it.', retryAfterSeconds);
    case 'unsettled':
      return uncharged(
        'The balance is not certain before earlier payments of this payer have settled.',
        retryAfterSeconds,
      );
    case 'insufficient': {
      const message = `The payer has ${reserved.available} units free; this request costs ${quote(request)}.`;
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
    case 'blocked': {
      const message = 'This payer has unpaid inference; the gateway serves the payer again later.';
      return { kind: 'insufficient-funds', quote: request.quote, message };
    }
  }
}

/** Runs the inference, or releases the payment if its model has no slot in time. */
async function execute(
  request: PricedRequest,
  payment: PaymentRecord,
  { everybodyLeft, place }: { readonly everybodyLeft: AbortSignal; readonly place: Place },
  ports: PaidPorts,
): Promise<WorkResult> {
  const refusal = await askSettler(request, payment, ports);
  if (refusal !== null) return refusal;
  if (!(await place.start(everybodyLeft))) {
    await releasePayment(payment, ports);
    return { kind: 'overloaded', full: 'model', retryAfterSeconds };
  }
  const held = { ...request, engine: place.within(request.engine) };
  return isShownEarly(request)
    ? executeStreamed(held, payment, everybodyLeft, ports)
    : executeWhole(held, payment, everybodyLeft, ports);
}

function quote(request: PricedRequest): string {
  return request.quote.requirements.maxAmountRequired;
}
