import type { Mined } from '../chain/chain-view.ts';
import { type CheckTransfer, createTransferCheck } from '../chain/check-transfer.ts';
import { pinEndpoint } from '../chain/rpc.ts';
import { createPaymentToken } from '../chain/token.ts';
import type { Log } from '../observe/log.ts';
import type { PaymentRecord, Store } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { pause } from '../types/signal.ts';
import { type Address, unixSeconds } from '../types/units.ts';
import { reportThirdParty } from './attribution.ts';
import { isCertain, isPaidBy, type JudgePorts, judge, type Verdict } from './judge.ts';
import type { RefusalReason, Settlement } from './settler.ts';
import type { TokenWatch } from './token-watch.ts';

export type ConcludePorts = JudgePorts & {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long to wait before the chain is asked again about what one answer does not settle. */
  readonly askAgainMs: number;
  readonly closing: AbortSignal;
  /** How long a payer who left work unpaid is held back. */
  readonly debtBlockSeconds: number;
  readonly tokenWatch: Pick<TokenWatch, 'markStopped'>;
  /** Tells who waits for a payment what became of it. */
  readonly announce: (paymentId: number, settlement: Settlement) => void;
};

/** Those of the payments that a mined transaction made are settled, all in one write. Returns the others. */
export async function settlePaid(
  payments: readonly PaymentRecord[],
  mined: Mined,
  { store, announce }: ConcludePorts,
): Promise<readonly PaymentRecord[]> {
  const paid = payments.filter((payment) => isPaidBy(payment, mined));
  if (paid.length > 0) {
    await store.settle(
      paid.map(({ id }) => id),
      mined,
    );
    for (const { id } of paid) announce(id, { state: 'settled', txHash: mined.txHash });
  }
  return payments.filter((payment) => !paid.includes(payment));
}

/** Payments that the chain has not spoken of. */
export type Unsettled = {
  /** They may go into another transaction: the last one was mined and did nothing for them. */
  readonly again: readonly PaymentRecord[];
  /** The same, and nothing was wrong with the payment: it is too early, or the token takes no transfers now. */
  readonly held: readonly PaymentRecord[];
  /** They must be asked about once more. */
  readonly unknown: readonly PaymentRecord[];
};

/**
 * Writes down what the chain says of each payment, and returns the others. Whatever does not rest on logs must be said
 * twice, a pause apart: nobody is refused, and nothing is sent again, on the word of one replica.
 */
export async function concludeEach(
  payments: readonly PaymentRecord[],
  ports: ConcludePorts,
  seenBlock = 0,
): Promise<Unsettled> {
  const first = await judgeAll(payments, ports, seenBlock, 0);
  const doubtful = first.filter(({ verdict }) => verdict.kind !== 'unknown' && !isCertain(verdict));
  if (doubtful.length > 0) await pause(ports.askAgainMs, ports.closing);
  const second = await judgeAll(
    doubtful.map(({ payment }) => payment),
    ports,
    seenBlock,
    1,
  );
  const verdicts = new Map(first.map(({ payment, verdict }) => [payment, verdict]));
  for (const { payment, verdict } of second) {
    verdicts.set(payment, agree(verdicts.get(payment), verdict));
  }
  return writeAll(verdicts, ports);
}

/**
 * What two looks say together. A transfer that passed in one of them may be tried again: code at the payer's account may
 * take every other block, and must not keep the payments of others waiting for two looks that agree.
 */
export function agree(first: Verdict | undefined, second: Verdict): Verdict {
  if (isCertain(second) || second.kind === first?.kind) return second;
  const kinds = new Set([first?.kind, second.kind]);
  return kinds.has('untouched') && kinds.has('refused') ? { kind: 'untouched' } : { kind: 'unknown' };
}

/** Each through one endpoint, for its readings must be of one view of the chain; the second time through another. */
async function judgeAll(
  payments: readonly PaymentRecord[],
  ports: ConcludePorts,
  seenBlock: number,
  which: 0 | 1,
): Promise<readonly { readonly payment: PaymentRecord; readonly verdict: Verdict }[]> {
  const rpc = pinEndpoint(ports.rpc, which);
  const checks = new Map<Address, CheckTransfer>();
  return Promise.all(
    payments.map(async (payment) => {
      const { asset } = payment;
      const token = createPaymentToken({ rpc, asset });
      const checkTransfer = checks.get(asset) ?? createTransferCheck(rpc, asset);
      checks.set(asset, checkTransfer);
      return { payment, verdict: await judge(payment, { ...ports, rpc, token, checkTransfer }, seenBlock) };
    }),
  );
}

async function writeAll(
  verdicts: ReadonlyMap<PaymentRecord, Verdict>,
  ports: ConcludePorts,
): Promise<Unsettled> {
  const left = { again: [] as PaymentRecord[], held: [] as PaymentRecord[], unknown: [] as PaymentRecord[] };
  for (const [payment, verdict] of verdicts) {
    if (verdict.kind === 'stopped') ports.tokenWatch.markStopped(payment.authorization.to);
    if (verdict.kind === 'untouched') left.again.push(payment);
    else if (verdict.kind === 'early' || verdict.kind === 'stopped') left.held.push(payment);
    else if (verdict.kind === 'unknown') left.unknown.push(payment);
    else await write(payment, verdict, ports);
  }
  return left;
}

async function write(
  payment: PaymentRecord,
  verdict: Exclude<Verdict, { kind: 'untouched' | 'early' | 'stopped' | 'unknown' }>,
  ports: ConcludePorts,
): Promise<void> {
  const { id } = payment;
  const { store, log, announce } = ports;
  switch (verdict.kind) {
    case 'paid':
      await store.settle([id], verdict.inclusion);
      return announce(id, { state: 'settled', txHash: verdict.inclusion.txHash });
    case 'expired':
      log.warn({ payment: id }, 'a payment ran out of time before the chain took it; its answer is withheld');
      await store.expire(id);
      return announce(id, { state: 'refused', reason: 'payment_expired' });
    case 'refused': {
      const { reason, txHash } = verdict;
      if (reason !== 'third_party_sender') return refuse(id, reason, ports);
      reportThirdParty(payment, txHash, log);
      // The payer paid, and owes nothing.
      await store.fail(id, reason, null);
      return announce(id, { state: 'refused', reason });
    }
  }
}

/** Work was done for nothing: its answer is withheld, and the payer is held back for a while. */
export async function refuse(
  id: number,
  reason: RefusalReason,
  { store, clock, log, announce, debtBlockSeconds }: ConcludePorts,
): Promise<void> {
  log.warn({ payment: id, reason }, 'the chain refused a payment after the work was done');
  const blockedUntil = unixSeconds(clock.steadySeconds() + debtBlockSeconds);
  await store.fail(id, reason, { blockedUntil });
  announce(id, { state: 'refused', reason });
}
