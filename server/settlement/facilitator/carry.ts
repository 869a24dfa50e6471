import { type Head, type Mined, readHead, readIncluded } from '../../chain/chain-view.ts';
import type { RpcFault } from '../../chain/rpc.ts';
import { nextPauseMs } from '../../relayer/follow.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import { pause } from '../../types/signal.ts';
import { type Bytes32, unixSeconds } from '../../types/units.ts';
import { type ReadPorts, readVerdict } from '../reconcile/read-verdict.ts';
import { type ChainPorts, listOpen, reconcileEach } from '../reconcile/reconcile.ts';
import { settlePaid } from '../reconcile/write.ts';
import { readSettlement } from '../settlement-subscribers.ts';
import type { TokenWatch } from '../token-watch.ts';
import { isExcused } from './excuse.ts';
import type { Facilitator, NoResponse, Settled } from './facilitator.ts';
import type { FailingPayers } from './failing-payers.ts';
import { createHandover, type Handover, type HandoverPorts } from './handover.ts';
import type { Slot, Slots } from './slots.ts';
import type { VersionChoice } from './version.ts';

export type CarryLimits = {
  /** Refusals of the facilitator before a payment is refused that the chain would accept. */
  readonly attemptsMax: number;
  /** First pause before the facilitator is called again. The pause doubles with each try. */
  readonly retryMs: number;
  /** Longest pause. */
  readonly retryMsMax: number;
  readonly pollMs: number;
  readonly pollMsMax: number;
  /**
   * Time to wait for a transaction that the facilitator names, and interval of readings while the facilitator
   * does not respond.
   */
  readonly confirmMs: number;
};

export type CarryPorts = ChainPorts &
  ReadPorts &
  Pick<HandoverPorts, 'acceptThirdPartySenders'> & {
    readonly facilitator: Facilitator;
    readonly version: VersionChoice;
    readonly limits: CarryLimits;
    readonly tokenWatch: TokenWatch;
    readonly slots: Slots;
    readonly failing: FailingPayers;
    /** Renews the lease in good time, and returns whether this process still has it. */
    readonly stillHolds: () => Promise<boolean>;
  };

/**
 * Calls the facilitator until the chain has decided about a payment, and stores the decision of the chain
 * (D-55). Holds a slot during a call, and none during a pause (D-164). Ends when another process has the lease,
 * or on closing; the store then has the payment unchanged. Never throws.
 */
export async function carry(payment: PaymentRecord, ports: CarryPorts): Promise<void> {
  const { limits, closing, slots } = ports;
  let refusals = 0;
  let pauseMs = limits.retryMs;
  const handover = createHandover(payment, ports, () => refusals + 1 >= limits.attemptsMax);
  for (let tries = 0; !closing.aborted; tries++) {
    const slot = await slots.take(payment, tries);
    if (slot === null) return;
    const end = await tryOnce(payment, handover, slot, ports).finally(slot.free);
    if (end === 'concluded') return;
    if (end === 'refused') refusals += 1;
    if (refusals >= limits.attemptsMax && (await giveUp(payment, ports))) return;
    await pause(pauseMs, closing);
    pauseMs = Math.min(pauseMs * 2, limits.retryMsMax);
  }
}

/** `refused`: the facilitator rejects the payment, and the chain shows no transaction of it. */
type End = 'concluded' | 'refused' | 'open';

async function tryOnce(
  payment: PaymentRecord,
  handover: Handover,
  { mayAsk }: Slot,
  ports: CarryPorts,
): Promise<End> {
  try {
    if (!(await ports.stillHolds())) return 'concluded';
    // While the token takes no transfers, a call of the facilitator could only fail, and cost it gas.
    const isStopped = (await ports.tokenWatch.stopped()).has(payment.authorization.to);
    if (isStopped || !mayAsk) return await probeOnce(payment, ports);
    const hasEnded = payment.authorization.validBefore <= BigInt(ports.clock.nowSeconds());
    if (hasEnded && (await probeOnce(payment, ports)) === 'concluded') return 'concluded';
    await handover.begin();
    return await askOnce(payment, handover, ports);
  } catch (cause) {
    return reportFailure(payment, cause, ports);
  }
}

async function reportFailure(payment: PaymentRecord, cause: unknown, ports: CarryPorts): Promise<End> {
  ports.log.error(
    { err: cause, payment: payment.id },
    'A settlement through the facilitator failed. The gateway tries it again.',
  );
  return (await wasConcluded(payment, ports)) ? 'concluded' : 'open';
}

/** Reads the chain only, because the payment may have expired. */
async function probeOnce(payment: PaymentRecord, ports: CarryPorts): Promise<End> {
  return listOpen(await reconcileEach([payment], ports)).length === 0 ? 'concluded' : 'open';
}

async function askOnce(payment: PaymentRecord, handover: Handover, ports: CarryPorts): Promise<End> {
  const enough = new AbortController();
  const answered = new AbortController();
  // The last block before the call, to find later changes of the payer's account.
  const head = readHead(ports.rpc);
  const asking = ask(payment, ports, AbortSignal.any([ports.closing, enough.signal]));
  void asking.finally(() => answered.abort()).catch(() => undefined);
  try {
    const watching = { ...ports, isOurs: handover.isOursWhileSilent };
    if (await watch(payment, watching, answered.signal)) return 'concluded';
    const said = await asking;
    await handover.end(said);
    const end = await concludeFromChain(payment, said, head, { ...ports, isOurs: handover.isOurs });
    return end === 'open' && handover.sawThirdParty() ? 'refused' : end;
  } finally {
    enough.abort();
  }
}

/** Decides by the chain, after the result of the facilitator. */
async function concludeFromChain(
  payment: PaymentRecord,
  said: Result<Settled, NoResponse>,
  headBefore: Promise<Result<Head, RpcFault>>,
  ports: CarryPorts,
): Promise<End> {
  const mined = said.ok ? await findNamed(said.value, ports) : null;
  if (mined !== null && (await settlePaid([payment], mined, ports)).length === 0) return 'concluded';
  // An unnamed transaction may have paid it, or it may have become impossible.
  const unsettled = await reconcileEach([payment], ports, mined?.block ?? 0);
  if (listOpen(unsettled).length === 0) return 'concluded';
  const { again } = unsettled;
  reportUnsettled(payment, said, ports);
  const what = failureIn(said);
  // An outage of the chain, and an open transaction, are no failures.
  if (what !== null && again.length > 0 && !ports.closing.aborted) {
    const before = await headBefore;
    ports.failing.failed(
      payment,
      what,
      await isExcused(payment, before.ok ? before.value.block : null, ports),
    );
  }
  if (!said.ok || said.value.kind !== 'refused' || again.length === 0) return 'open';
  // A named transaction that is in no block yet may still pay.
  return said.value.txHash === null || mined !== null ? 'refused' : 'open';
}

async function ask(
  payment: PaymentRecord,
  { facilitator, version }: CarryPorts,
  signal: AbortSignal,
): Promise<Result<Settled, NoResponse>> {
  const spoken = await version.current();
  if (spoken === null) return { ok: false, fault: 'the facilitator does not list this chain' };
  return facilitator.settle(spoken, payment, signal);
}

/** Reads the chain until the facilitator responds, because it may have settled. Returns whether it settled. */
async function watch(payment: PaymentRecord, ports: CarryPorts, answered: AbortSignal): Promise<boolean> {
  for (;;) {
    await pause(ports.limits.confirmMs, answered);
    if (answered.aborted) return false;
    // Only a settled payment ends the wait. Refusals are decided after the facilitator's response.
    if ((await readVerdict(payment, ports, 0)).kind !== 'paid') continue;
    if (listOpen(await reconcileEach([payment], ports)).length === 0) return true;
  }
}

/**
 * Returns the transaction that the facilitator names, once it is in a block; null where there is none in time.
 */
async function findNamed(said: Settled, { rpc, limits, closing }: CarryPorts): Promise<Mined | null> {
  if (said.txHash === null) return null;
  // The gateway does not wait for a transaction that failed by the facilitator's response.
  const waitMs = said.kind === 'refused' ? 0 : limits.confirmMs;
  return waitForMined(said.txHash);

  async function waitForMined(txHash: Bytes32): Promise<Mined | null> {
    let pauseMs = limits.pollMs;
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      const mined = await readIncluded(rpc, txHash);
      if (mined.ok && mined.value !== null) return mined.value;
      if (waitedMs >= waitMs || closing.aborted) return null;
      await pause(pauseMs, closing);
      pauseMs = nextPauseMs(pauseMs, limits);
    }
  }
}

function reportUnsettled(
  { id }: PaymentRecord,
  said: Result<Settled, NoResponse>,
  { log, closing }: CarryPorts,
): void {
  if (closing.aborted) return;
  if (!said.ok) {
    log.warn({ payment: id }, `The facilitator did not settle a payment: ${said.fault}`);
  } else if (said.value.kind === 'done') {
    const { txHash } = said.value;
    log.warn({ payment: id, txHash }, 'The facilitator reported a settlement that the chain does not show.');
  } else {
    const { txHash, reason } = said.value;
    log.warn({ payment: id, txHash, reason }, 'The facilitator has not settled a payment.');
  }
}

/** Returns why the facilitator settled nothing; null where it may have settled. */
function failureIn(said: Result<Settled, NoResponse>): string | null {
  if (!said.ok) return said.fault;
  if (said.value.kind === 'refused') return said.value.reason;
  return said.value.kind === 'done' ? 'a transaction that the chain does not show' : null;
}

/**
 * Refuses the payment and withholds its completion. The payer cannot buy for a while if the facilitator settled
 * for others meanwhile; else the fault may be the facilitator's (D-165). Returns whether the refusal is stored.
 */
async function giveUp(payment: PaymentRecord, ports: CarryPorts): Promise<boolean> {
  const { store, log, announce, clock, debtBlockSeconds, failing } = ports;
  const { id } = payment;
  const owes = failing.othersWereSettled(payment);
  const debt = owes ? { blockedUntil: unixSeconds(clock.steadySeconds() + debtBlockSeconds) } : null;
  try {
    await store.fail(id, 'invalid_transaction_state', debt);
  } catch (cause) {
    return (await reportFailure(payment, cause, ports)) === 'concluded';
  }
  log.error(
    { payment: id },
    'The facilitator refuses a payment that the chain would accept. Its completion is withheld.',
  );
  failing.gaveUp(payment);
  announce(id, { state: 'refused', reason: 'invalid_transaction_state', ...(!owes && { isExcused: true }) });
  return true;
}

/** Another process may have concluded the payment, or this process without a response of the store. */
async function wasConcluded({ id }: PaymentRecord, { store, announce }: CarryPorts): Promise<boolean> {
  try {
    const payment = await store.find(id);
    const settlement = payment && readSettlement(payment);
    if (settlement) announce(id, settlement);
    return settlement !== null;
  } catch {
    // The store does not respond. The next round reads it again.
    return false;
  }
}
