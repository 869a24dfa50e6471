import { findSpender, type Head } from '../../chain/chain-view.ts';
import type { ReadPayer } from '../../payment/balance.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { unixSeconds } from '../../types/units.ts';
import type { Settlement } from '../settler.ts';
import { reportThirdParty } from './attribution.ts';
import { expectedOf, isCertain } from './decide.ts';
import { type ReadPorts, readVerdict, readVerdictOfSpent } from './read-verdict.ts';
import { settleOnce, type WritePorts } from './write.ts';

export type RefusedPorts = ReadPorts & { readonly readPayer: ReadPayer } & Pick<
    WritePorts,
    'store' | 'clock' | 'log'
  >;

/** Refused payments looked at in one round, which is what one reading of the chain takes; the rest waits for the next. */
const refusedMax = 200;
/** Spent ones are looked for in the logs, which takes several calls each. */
const searchesAtOnce = 10;
/** A refused payment is looked at this often, or when its payer asks. */
const checkAgainSeconds = 30;

/**
 * Looks at refused payments whose authorization may still be sent by anybody (D-63). One that was paid is settled; one
 * that no block to come can take is closed. `finalized` are finalized heads as the chain named them at different times: a
 * payment is closed where all of them allow it, for one answer may come from nowhere.
 */
export async function checkRefused(ports: RefusedPorts, finalized: readonly Head[]): Promise<void> {
  const { store, clock, log } = ports;
  const checkedBefore = unixSeconds(Math.max(0, clock.steadySeconds() - checkAgainSeconds));
  const payments = await store.checkRefused(refusedMax, checkedBefore);
  if (payments.length === 0) return;
  // Asked for in one turn, they are read in one call.
  const fates = await Promise.all(payments.map((payment) => fateOf(payment, finalized, ports)));
  const dead = payments.filter((_, index) => fates[index] === 'dead').map(({ id }) => id);
  const spent = payments.filter((_, index) => fates[index] === 'spent');
  for (let from = 0; from < spent.length; from += searchesAtOnce) {
    const some = spent.slice(from, from + searchesAtOnce);
    const ends = await Promise.all(some.map((payment) => settleIfPaid(payment, finalized, ports)));
    dead.push(...some.filter((_, index) => ends[index] === 'dead').map(({ id }) => id));
  }
  await store.closeRefused(dead);
  if (dead.length > 0) log.debug({ payments: dead }, 'refused payments can no longer be charged');
}

/** What the chain still may do with an authorization; `open` where it may, or where nobody can tell. */
type Fate = 'open' | 'spent' | 'dead';

async function fateOf(
  { authorization: { from, nonce, validBefore } }: PaymentRecord,
  finalized: readonly Head[],
  { readPayer }: RefusedPorts,
): Promise<Fate> {
  const state = await readPayer(from, nonce);
  if (!state.ok) return 'open';
  if (state.value.isSpent) return 'spent';
  // Every block from the finalized one on is too late for it, and up to that one nobody sent it.
  const { block } = state.value.reading;
  return finalized.every((head) => head.seconds >= validBefore && head.block <= block) ? 'dead' : 'open';
}

async function settleIfPaid(
  payment: PaymentRecord,
  finalized: readonly Head[],
  ports: RefusedPorts,
): Promise<Fate> {
  const spender = await findSpender(ports.rpc, ports.token, expectedOf(payment), ports.logBlocksMax);
  if (!spender.ok || spender.value === null || spender.value === 'unseen') return 'open';
  const verdict = await readVerdictOfSpent(payment, spender.value, ports);
  if (verdict.kind === 'paid') {
    ports.log.warn({ payment: payment.id }, 'a refused payment was taken by the chain after all');
    await settleOnce(payment, verdict.inclusion, ports.store);
  }
  // Spent on something else, or taken back: for good once that block is final.
  const { block } = spender.value;
  if (verdict.kind !== 'refused' || finalized.some((head) => block > head.block)) return 'open';
  // A payment that is refused for this reason was reported then.
  if (verdict.reason === 'third_party_sender' && payment.failure !== verdict.reason)
    reportThirdParty(payment, verdict.txHash, ports.log);
  return 'dead';
}

/** The same for one payment, for whoever sends it again: what the store believed may be untrue by now. */
export async function checkAgain(
  payment: PaymentRecord,
  refused: Extract<Settlement, { state: 'refused' }>,
  ports: RefusedPorts,
): Promise<Settlement> {
  const verdict = await readVerdict(payment, ports, 0);
  switch (verdict.kind) {
    case 'paid':
      return settleOnce(payment, verdict.inclusion, ports.store);
    case 'unknown':
      return { state: 'unknown' };
    case 'refused':
      return isCertain(verdict) ? { state: 'refused', reason: verdict.reason } : refused;
    default:
      return refused;
  }
}
