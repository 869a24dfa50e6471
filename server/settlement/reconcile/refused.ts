import type { Head } from '../../chain/chain-view.ts';
import { findSpender } from '../../chain/find-spender.ts';
import { pinEndpoint } from '../../chain/rpc.ts';
import type { ReadPayer } from '../../payment/balance.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { undecidedFailure } from '../../types/payment-states.ts';
import { unixSeconds } from '../../types/units.ts';
import type { Settlement } from '../settler.ts';
import { noHead } from '../watch-finality.ts';
import { reportThirdParty } from './attribution.ts';
import { agree, isCertain, toExpectedPayment } from './decide.ts';
import { type ReadPorts, readVerdict, readVerdictOfSpent } from './read-verdict.ts';
import { markHidden, traceOwn } from './spent.ts';
import { settleOnce, type WritePorts } from './write.ts';

export type RefusedPorts = ReadPorts & { readonly readPayer: ReadPayer } & Pick<
    WritePorts,
    'store' | 'clock' | 'log'
  >;

/** Most refused payments in one round, which is one reading of the chain. The next round checks the others. */
const refusedMax = 200;
/** Searches of the logs at once. Each takes several calls. */
const searchesAtOnce = 10;
/** Interval between two checks of a refused payment. A request of its payer checks it at once. */
const checkAgainSeconds = 30;

/** Most payments whose other use is remembered. */
const otherUsesMax = 65_536;

/** By payment, the block that used its authorization otherwise. A reorganisation can still remove this block. */
export type OtherUses = Map<number, number>;

/**
 * Checks refused payments whose authorization any account may still send (D-63). A paid one is settled, and one
 * that no later block can include is closed. `finalized` are finalized heads of different times: all must allow
 * a closing, since one may be wrong. A payment in `otherUses` is searched again once its block is final.
 */
export async function checkRefused(
  ports: RefusedPorts,
  finalized: readonly Head[],
  otherUses: OtherUses,
): Promise<void> {
  const { store, clock, log } = ports;
  const checkedBefore = unixSeconds(Math.max(0, clock.steadySeconds() - checkAgainSeconds));
  const payments = await store.checkRefused(refusedMax, checkedBefore);
  if (payments.length === 0) return;
  // Reads of one turn share one call.
  const fates = await Promise.all(payments.map((payment) => readFate(payment, finalized, ports)));
  const dead = payments.filter((_, index) => fates[index] === 'dead').map(({ id }) => id);
  const isAwaited = ({ id }: PaymentRecord) => {
    const block = otherUses.get(id);
    return block !== undefined && !isFinal(block, finalized);
  };
  const spent = payments.filter((payment, index) => fates[index] === 'spent' && !isAwaited(payment));
  for (let from = 0; from < spent.length; from += searchesAtOnce) {
    const some = spent.slice(from, from + searchesAtOnce);
    const ends = await Promise.all(some.map((payment) => settleIfPaid(payment, finalized, otherUses, ports)));
    dead.push(...some.filter((_, index) => ends[index] === 'dead').map(({ id }) => id));
  }
  await store.closeRefused(dead);
  if (dead.length > 0) log.debug({ payments: dead }, 'refused payments can no longer be charged');
}

/**
 * The fate of an authorization on the chain. `open`: the chain may still include it, or its fate is unknown.
 */
type Fate = 'open' | 'spent' | 'dead';

async function readFate(
  { authorization: { from, nonce, validBefore } }: PaymentRecord,
  finalized: readonly Head[],
  { readPayer }: RefusedPorts,
): Promise<Fate> {
  const state = await readPayer(from, nonce);
  if (!state.ok) return 'open';
  if (state.value.isSpent) return 'spent';
  // Every block after the finalized one is too late for it, and no block up to there has it.
  const { block } = state.value.reading;
  return finalized.every((head) => head.seconds >= validBefore && head.block <= block) ? 'dead' : 'open';
}

async function settleIfPaid(
  payment: PaymentRecord,
  finalized: readonly Head[],
  otherUses: OtherUses,
  ports: RefusedPorts,
): Promise<Fate> {
  otherUses.delete(payment.id);
  const spender = await findSpender(ports.rpc, ports.token, toExpectedPayment(payment), ports.logBlocksMax);
  if (!spender.ok || spender.value === null || spender.value === 'unseen') return 'open';
  const verdict = await readVerdictOfSpent(payment, spender.value, ports);
  if (verdict.kind === 'paid') {
    const reason =
      payment.failure === undecidedFailure
        ? 'The node shows the settlement of a payment that waited for it.'
        : 'The chain charged a refused payment later.';
    ports.log.warn({ payment: payment.id }, `${reason} The payment is settled now.`);
    await settleOnce([payment], verdict.inclusion, ports.store);
  }
  // Another use or a cancellation is irrevocable once that block is final.
  const { block } = spender.value;
  if (verdict.kind !== 'refused') return 'open';
  if (!isFinal(block, finalized)) {
    remember(payment.id, block, finalized, otherUses);
    return 'open';
  }
  // A payment that was refused for this reason is reported already.
  if (verdict.reason === 'third_party_sender' && payment.failure !== verdict.reason)
    reportThirdParty(payment, verdict.txHash, ports.log);
  return 'dead';
}

/** Remembers nothing while a finalized block is missing: no block becomes final on a chain without them. */
function remember(id: number, block: number, finalized: readonly Head[], otherUses: OtherUses): void {
  if (finalized.some((head) => head.block === noHead.block)) return;
  const [oldest] = otherUses.size < otherUsesMax ? [] : otherUses.keys();
  if (oldest !== undefined) otherUses.delete(oldest);
  otherUses.set(id, block);
}

function isFinal(block: number, finalized: readonly Head[]): boolean {
  return finalized.every((head) => block <= head.block);
}

/** Checks one payment for a payer who sends it again, because the state in the store may be outdated. */
export async function checkAgain(
  payment: PaymentRecord,
  refused: Extract<Settlement, { state: 'refused' }>,
  ports: RefusedPorts,
): Promise<Settlement> {
  const verdict = await readVerdict(payment, ports, 0);
  switch (verdict.kind) {
    case 'paid':
      return settleOnce([payment], verdict.inclusion, ports.store);
    case 'unknown':
      return { state: 'unknown' };
    case 'refused':
      return isCertain(verdict) ? { state: 'refused', reason: verdict.reason } : refused;
    default:
      return refused;
  }
}

/**
 * Checks a payment that our own transaction may have made unseen (D-207). Only the chain ends the wait: a missing
 * receipt never does while the node may hide it.
 */
export async function checkUndecided(payment: PaymentRecord, ports: RefusedPorts): Promise<Settlement> {
  const [first, second] = await Promise.all(
    ([0, 1] as const).map((which) =>
      readVerdict(payment, { ...ports, rpc: pinEndpoint(ports.rpc, which) }, 0),
    ),
  );
  const verdict = second === undefined ? first : agree(first, second);
  switch (verdict?.kind) {
    case 'paid':
      return settleOnce([payment], verdict.inclusion, ports.store);
    case 'refused':
      return isCertain(verdict) ? { state: 'refused', reason: verdict.reason } : { state: 'unknown' };
    case 'expired':
      return { state: 'refused', reason: 'payment_expired' };
    case 'spent': {
      const trace = await traceOwn(payment, ports);
      if (trace.kind === 'paid') return settleOnce([payment], trace.mined, ports.store);
      if (trace.kind === 'foreign') return { state: 'refused', reason: 'authorization_used' };
      // After a start, this process does not know yet that the node shows no receipts.
      if (trace.kind === 'hidden') markHidden(payment, trace, ports.receipts);
      return { state: 'unknown' };
    }
    default:
      return { state: 'unknown' };
  }
}
