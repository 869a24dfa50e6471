import { type Mined, readIncluded } from '../../chain/chain-view.ts';
import type { PaymentRecord } from '../../store/store.ts';
import type { Result } from '../../types/result.ts';
import { pause } from '../../types/signal.ts';
import { type Bytes32, unixSeconds } from '../../types/units.ts';
import { type ReadPorts, readVerdict } from '../reconcile/read-verdict.ts';
import { type ChainPorts, openOf, reconcileEach } from '../reconcile/reconcile.ts';
import { settlePaid } from '../reconcile/write.ts';
import { settlementOf } from '../settlement-subscribers.ts';
import type { TokenWatch } from '../token-watch.ts';
import type { Facilitator, NoAnswer, Settled } from './facilitator.ts';
import type { FailingPayers } from './failing-payers.ts';
import { createHandover, type Handover, type HandoverPorts } from './handover.ts';
import type { Slots } from './slots.ts';
import type { VersionChoice } from './version.ts';

export type CarryLimits = {
  /** Times that the facilitator may refuse a payment that nothing on the chain speaks against. */
  readonly attemptsMax: number;
  /** First pause before the facilitator is asked again; it doubles, */
  readonly retryMs: number;
  /** up to this. */
  readonly retryMsMax: number;
  readonly pollMs: number;
  readonly pollMsMax: number;
  /** How long the chain is watched for a transaction that the facilitator names, and how often while it is silent. */
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
    /** Whether this process still has the lease; renews the hold in good time. */
    readonly stillHolds: () => Promise<boolean>;
  };

/**
 * Asks the facilitator to settle a payment until the chain has spoken of it, and writes down what the chain says (D-55).
 * Has a slot while it asks, and none while it pauses (D-164). Ends held when another process has the lease, or when it is
 * told to close: then the payment is in the store, as it was. Never throws.
 */
export async function carry(payment: PaymentRecord, ports: CarryPorts): Promise<void> {
  const { limits, closing, slots } = ports;
  let refusals = 0;
  let pauseMs = limits.retryMs;
  const handover = createHandover(payment, ports, () => refusals + 1 >= limits.attemptsMax);
  for (let tries = 0; !closing.aborted; tries++) {
    const free = await slots.take(payment, tries);
    if (free === null) return;
    const end = await tryOnce(payment, handover, ports).finally(free);
    if (end === 'concluded') return;
    if (end === 'refused') refusals += 1;
    if (refusals >= limits.attemptsMax && (await giveUp(payment, ports))) return;
    await pause(pauseMs, closing);
    pauseMs = Math.min(pauseMs * 2, limits.retryMsMax);
  }
}

/** `refused` only where the facilitator will not, and the chain knows of nothing that it did for us. */
type End = 'concluded' | 'refused' | 'open';

async function tryOnce(payment: PaymentRecord, handover: Handover, ports: CarryPorts): Promise<End> {
  try {
    if (!(await ports.stillHolds())) return 'concluded';
    // While the token takes no transfers, the facilitator could only fail, and pay gas for it.
    const isStopped = (await ports.tokenWatch.stopped()).has(payment.authorization.to);
    if (isStopped) return await probeOnce(payment, ports);
    await handover.begin();
    return await askOnce(payment, handover, ports);
  } catch (cause) {
    return stumble(payment, cause, ports);
  }
}

async function stumble(payment: PaymentRecord, cause: unknown, ports: CarryPorts): Promise<End> {
  ports.log.error(
    { err: cause, payment: payment.id },
    'a settlement stumbled; the facilitator is asked again',
  );
  return (await wasConcluded(payment, ports)) ? 'concluded' : 'open';
}

/** Asks the chain alone: the payment's time may be over. */
async function probeOnce(payment: PaymentRecord, ports: CarryPorts): Promise<End> {
  return openOf(await reconcileEach([payment], ports)).length === 0 ? 'concluded' : 'open';
}

async function askOnce(payment: PaymentRecord, handover: Handover, ports: CarryPorts): Promise<End> {
  const enough = new AbortController();
  const answered = new AbortController();
  const asking = ask(payment, ports, AbortSignal.any([ports.closing, enough.signal]));
  void asking.finally(() => answered.abort()).catch(() => undefined);
  try {
    const watching = { ...ports, isOurs: handover.isOursWhileSilent };
    if (await watch(payment, watching, answered.signal)) return 'concluded';
    const said = await asking;
    await handover.end(said);
    const end = await believeTheChain(payment, said, { ...ports, isOurs: handover.isOurs });
    return end === 'open' && handover.sawThirdParty() ? 'refused' : end;
  } finally {
    enough.abort();
  }
}

/** What the chain makes of what the facilitator said. */
async function believeTheChain(
  payment: PaymentRecord,
  said: Result<Settled, NoAnswer>,
  ports: CarryPorts,
): Promise<End> {
  const mined = said.ok ? await findNamed(said.value, ports) : null;
  if (mined !== null && (await settlePaid([payment], mined, ports)).length === 0) return 'concluded';
  // It may have been paid all the same, by a transaction that nobody named, or never be paid any more.
  const unsettled = await reconcileEach([payment], ports, mined?.block ?? 0);
  if (openOf(unsettled).length === 0) return 'concluded';
  const { again } = unsettled;
  complain(payment, said, ports);
  const what = failureIn(said);
  // Silence of the chain, and a transaction on its way, are no failures.
  if (what !== null && again.length > 0 && !ports.closing.aborted)
    ports.failing.failed(payment, what, await hasCode(payment, ports));
  if (!said.ok || said.value.kind !== 'refused' || again.length === 0) return 'open';
  // A transaction that it names and that is in no block yet may still pay.
  return said.value.txHash === null || mined !== null ? 'refused' : 'open';
}

/** Where the chain is silent the payer counts as one without code. */
async function hasCode({ authorization }: PaymentRecord, { rpc }: CarryPorts): Promise<boolean> {
  const code = await rpc.call<unknown>('eth_getCode', [authorization.from, 'latest']);
  return code.ok && typeof code.value === 'string' && code.value.length > 2;
}

async function ask(
  payment: PaymentRecord,
  { facilitator, version }: CarryPorts,
  signal: AbortSignal,
): Promise<Result<Settled, NoAnswer>> {
  const spoken = await version.current();
  if (spoken === null) return { ok: false, fault: 'it does not say that it settles on this chain' };
  return facilitator.settle(spoken, payment, signal);
}

/** Looks at the chain while the facilitator is silent, for it may have settled; whether it was seen to. */
async function watch(payment: PaymentRecord, ports: CarryPorts, answered: AbortSignal): Promise<boolean> {
  for (;;) {
    await pause(ports.limits.confirmMs, answered);
    if (answered.aborted) return false;
    // Only payment ends the wait. Whatever speaks against it is asked for when the facilitator is done.
    if ((await readVerdict(payment, ports, 0)).kind !== 'paid') continue;
    if (openOf(await reconcileEach([payment], ports)).length === 0) return true;
  }
}

/** The transaction that the facilitator names, once it is in a block; null where it names none, or none is seen in time. */
async function findNamed(said: Settled, { rpc, limits, closing }: CarryPorts): Promise<Mined | null> {
  if (said.txHash === null) return null;
  // One that it says did nothing is looked at, and not waited for.
  const waitMs = said.kind === 'refused' ? 0 : limits.confirmMs;
  return waitForMined(said.txHash);

  async function waitForMined(txHash: Bytes32): Promise<Mined | null> {
    let pauseMs = limits.pollMs;
    for (let waitedMs = 0; ; waitedMs += pauseMs) {
      const mined = await readIncluded(rpc, txHash);
      if (mined.ok && mined.value !== null) return mined.value;
      if (waitedMs >= waitMs || closing.aborted) return null;
      await pause(pauseMs, closing);
      pauseMs = Math.min(pauseMs * 2, limits.pollMsMax);
    }
  }
}

function complain(
  { id }: PaymentRecord,
  said: Result<Settled, NoAnswer>,
  { log, closing }: CarryPorts,
): void {
  if (closing.aborted) return;
  if (!said.ok) {
    log.warn({ payment: id }, `the facilitator did not settle: ${said.fault}`);
  } else if (said.value.kind === 'done') {
    const { txHash } = said.value;
    log.warn({ payment: id, txHash }, 'the facilitator says that it settled, and the chain does not show it');
  } else {
    const { txHash, reason } = said.value;
    log.warn({ payment: id, txHash, reason }, 'the facilitator has not settled');
  }
}

/** Why the facilitator settled nothing, as it says; null where it may have. */
function failureIn(said: Result<Settled, NoAnswer>): string | null {
  if (!said.ok) return said.fault;
  if (said.value.kind === 'refused') return said.value.reason;
  return said.value.kind === 'done' ? 'a transaction that the chain does not show' : null;
}

/**
 * The answer is withheld. The payer is held back where the facilitator settled for others meanwhile; else it is not known
 * whose fault it is (D-165). Whether it was written.
 */
async function giveUp(payment: PaymentRecord, ports: CarryPorts): Promise<boolean> {
  const { store, log, announce, clock, debtBlockSeconds, failing } = ports;
  const { id } = payment;
  const owes = failing.othersWereSettled(payment);
  const debt = owes ? { blockedUntil: unixSeconds(clock.steadySeconds() + debtBlockSeconds) } : null;
  try {
    await store.fail(id, 'invalid_transaction_state', debt);
  } catch (cause) {
    return (await stumble(payment, cause, ports)) === 'concluded';
  }
  log.error(
    { payment: id },
    'the facilitator refuses a payment that the chain would take; its answer is withheld',
  );
  failing.gaveUp(payment);
  announce(id, { state: 'refused', reason: 'invalid_transaction_state' });
  return true;
}

/** Another process may have carried it to its end, or this one without hearing that it was written. */
async function wasConcluded({ id }: PaymentRecord, { store, announce }: CarryPorts): Promise<boolean> {
  try {
    const payment = await store.find(id);
    const settlement = payment && settlementOf(payment);
    if (settlement) announce(id, settlement);
    return settlement !== null;
  } catch {
    // The store does not answer: asked again in the next round.
    return false;
  }
}
