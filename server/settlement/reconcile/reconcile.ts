import type { Mined } from '../../chain/chain-view.ts';
import { readHead } from '../../chain/chain-view.ts';
import { type CheckTransfer, createTransferCheck, findStopped } from '../../chain/check-transfer.ts';
import { pinEndpoint } from '../../chain/rpc.ts';
import { createPaymentToken, type PaymentToken } from '../../chain/token.ts';
import { findMined } from '../../relayer/nonce.ts';
import type { RelayerLease } from '../../store/relayer-lease.ts';
import type { PaymentRecord } from '../../store/store.ts';
import { pause, type Signal } from '../../types/signal.ts';
import type { Address } from '../../types/units.ts';
import { agree, isCertain, isMovedOtherwise, type Verdict } from './decide.ts';
import { type ReadPorts, readVerdict } from './read-verdict.ts';
import { concludeSpent, noticeHidden } from './spent.ts';
import { refuse, refuseMovedOtherwise, settlePaid, type WritePorts, writeVerdict } from './write.ts';

export type ChainPorts = Omit<ReadPorts, 'token' | 'checkTransfer'> &
  WritePorts & {
    /** Whether the chain has Multicall3, so that the readings of many payments share calls. */
    readonly canBatch: boolean;
    /** Pause before an uncertain reading of the chain is repeated. */
    readonly askAgainMs: number;
    readonly closing: AbortSignal;
  };

export type ReconcilePorts = ChainPorts & {
  /** Renews the relayer's lease in good time. Throws `StaleFence` when another process has it. */
  readonly stillHolds: () => Promise<void>;
  /**
   * By payment, how often its own call moved nothing though a simulation passes. All relayer workers of a
   * process share it.
   */
  readonly ownFailures: Map<number, number>;
  /** Notified when payments may go into a transaction: after their execution, or after one that failed. */
  readonly work: Signal;
};

/** Payments that the chain has not decided. */
export type Unsettled = {
  /** They may go into another transaction: the last one was mined and moved nothing for them. */
  readonly again: readonly PaymentRecord[];
  /** The payment is fine but must wait: it is too early, or the token takes no transfers now. */
  readonly held: readonly PaymentRecord[];
  /** A transaction spent them, and no log names it. */
  readonly spent: readonly PaymentRecord[];
  /** They must be read again. */
  readonly unknown: readonly PaymentRecord[];
};

/** Lists all payments that stay open. */
export function listOpen({ again, held, spent, unknown }: Unsettled): readonly PaymentRecord[] {
  return [...again, ...held, ...spent, ...unknown];
}

/**
 * Calls for one payment before it is refused. Its calls fail for a reason of their own, since every call has
 * its own gas.
 */
const callsMax = 2;
/** Rounds before a payment is concluded whose spending transaction no log names. A node's logs may come late. */
const spentRoundsMax = 10;

/**
 * Stores the verdict on each payment, and returns the undecided payments. A verdict without logs must be read
 * twice, with a pause between: one replica alone decides neither a refusal nor another transaction.
 */
export async function reconcileEach(
  payments: readonly PaymentRecord[],
  ports: ChainPorts,
  seenBlock = 0,
): Promise<Unsettled> {
  const verdicts = await readAll(payments, ports, seenBlock, 0);
  const doubtful = [...verdicts].filter(([, verdict]) => verdict.kind !== 'unknown' && !isCertain(verdict));
  if (doubtful.length > 0) await pause(ports.askAgainMs, ports.closing);
  const asked = doubtful.map(([payment]) => payment);
  for (const [payment, verdict] of await readAll(asked, ports, seenBlock, 1)) {
    verdicts.set(payment, agree(verdicts.get(payment), verdict));
  }
  const left = {
    again: [] as PaymentRecord[],
    held: [] as PaymentRecord[],
    spent: [] as PaymentRecord[],
    unknown: [] as PaymentRecord[],
  };
  for (const [payment, verdict] of verdicts) {
    if (await writeVerdict(payment, verdict, ports)) continue;
    if (verdict.kind === 'untouched') left.again.push(payment);
    else if (verdict.kind === 'unknown') left.unknown.push(payment);
    else if (verdict.kind === 'spent' && verdict.isLate) await concludeSpent(payment, ports);
    else if (verdict.kind === 'spent') left.spent.push(payment);
    else left.held.push(payment);
  }
  return left;
}

/**
 * Reads all payments through one endpoint, for one view of the chain, in a few calls together: a batch that moved nothing
 * would otherwise take the connections of purchases (D-359). The second reading uses another endpoint.
 */
async function readAll(
  payments: readonly PaymentRecord[],
  ports: ChainPorts,
  seenBlock: number,
  which: 0 | 1,
): Promise<Map<PaymentRecord, Verdict>> {
  if (payments.length === 0) return new Map();
  const rpc = pinEndpoint(ports.rpc, which);
  const head = await readHead(rpc);
  const readers = new Map<Address, { token: PaymentToken; checkTransfer: CheckTransfer }>();
  const read = payments.map(async (payment) => {
    const { asset } = payment;
    const reader = readers.get(asset) ?? {
      token: createPaymentToken({ rpc, asset, isGathered: ports.canBatch }),
      checkTransfer: createTransferCheck(rpc, asset),
    };
    readers.set(asset, reader);
    const verdict = await readVerdict(payment, { ...ports, rpc, ...reader }, seenBlock, head);
    return [payment, verdict] as const;
  });
  return new Map(await Promise.all(read));
}

/**
 * Ends a nonce with a transaction in a block. Resolves when every payment is concluded, or on closing. After a
 * reorganisation a later sale may have used the nonce. Then the transaction has no call for some of these payments.
 * `raw` is the signed transaction.
 */
export async function concludeMined(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  mined: Mined & { readonly raw: string },
  ports: ReconcilePorts,
): Promise<void> {
  const { rpc, askAgainMs, closing, ownFailures } = ports;
  let left = await settlePaid(payments, mined, ports);
  for (const { id } of payments) if (!left.some((each) => each.id === id)) ownFailures.delete(id);
  // A receipt without any logs may be incomplete, so it is read once more.
  if (left.length > 0 && mined.logs.length === 0) {
    await pause(askAgainMs, closing);
    const again = await findMined(rpc, [{ hash: mined.txHash }]);
    if (again.ok && again.value !== null) left = await settlePaid(left, again.value, ports);
  }
  const movedOtherwise = left.filter((payment) => isMovedOtherwise(payment, mined));
  for (const payment of movedOtherwise) await refuseMovedOtherwise(payment, mined, ports);
  left = left.filter((payment) => !movedOtherwise.includes(payment));
  // A batch that was undone as a whole says nothing about its calls.
  const isOfTheBatch = mined.isReverted && payments.length > 1;
  const sendAgain: SendAgain = isOfTheBatch
    ? releaseClaims
    : async (held, again, own) => {
        // A payment without a call in this transaction did not fail (D-413).
        const called = again.filter(({ authorization }) => mined.raw.includes(authorization.nonce.slice(2)));
        const { innocent, others } = await splitByStop(called, mined.block, own);
        const uncalled = again.filter((payment) => !called.includes(payment));
        await releaseClaims(held, [...uncalled, ...innocent], own);
        await tryAgain(held, others, own);
      };
  await concludeRest(lease, left, mined.block, sendAgain, ports);
}

/** Ends a nonce that is used up, and none of whose transactions the node shows in a block. */
export function concludeLost(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  ports: ReconcilePorts,
): Promise<void> {
  return concludeRest(lease, payments, 0, releaseClaims, ports);
}

type SendAgain = (
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  ports: ReconcilePorts,
) => Promise<void>;

/**
 * Finds the payments to recipients to which the token took no transfers in the block of their transaction, and takes
 * them now. Such a payment did not fail by itself (D-349).
 */
async function splitByStop(
  payments: readonly PaymentRecord[],
  block: number,
  { rpc }: ReconcilePorts,
): Promise<{ readonly innocent: readonly PaymentRecord[]; readonly others: readonly PaymentRecord[] }> {
  const [first] = payments;
  if (first === undefined) return { innocent: [], others: [] };
  const recipients = [...new Set(payments.map(({ authorization }) => authorization.to))];
  const before = await findStopped(rpc, first.asset, recipients, block);
  const stopped = before.ok ? before.value : [];
  const still = stopped.length > 0 ? await findStopped(rpc, first.asset, stopped) : before;
  const resumed = still.ok ? stopped.filter((each) => !still.value.includes(each)) : [];
  const innocent = payments.filter(({ authorization }) => resumed.includes(authorization.to));
  return { innocent, others: payments.filter((payment) => !innocent.includes(payment)) };
}

/** Reads the chain until every payment that no transaction of ours made is decided. */
async function concludeRest(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  seenBlock: number,
  sendAgain: SendAgain,
  ports: ReconcilePorts,
): Promise<void> {
  const { askAgainMs, closing, ownFailures } = ports;
  let rest = payments;
  for (let round = 1; rest.length > 0 && !closing.aborted; round += 1) {
    const unsettled = await reconcileEach(rest, ports, seenBlock);
    const open = new Set(listIds(listOpen(unsettled)));
    for (const { id } of rest) if (!open.has(id)) ownFailures.delete(id);
    await sendAgain(lease, unsettled.again, ports);
    // A relayer worker without work may already wait.
    if (unsettled.again.length > 0) ports.work.notify();
    await releaseClaims(lease, unsettled.held, ports);
    rest = [...unsettled.unknown, ...unsettled.spent];
    if (round === 1) await noticeHidden(unsettled.spent, ports);
    if (round >= spentRoundsMax) {
      // One payment must not block the relayer. If a log comes later, the maintenance loop settles it (D-63).
      for (const payment of unsettled.spent) await concludeSpent(payment, ports);
      rest = unsettled.unknown;
    }
    if (rest.length === 0) return;
    await pause(askAgainMs, closing);
    await ports.stillHolds();
  }
}

async function tryAgain(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  ports: ReconcilePorts,
): Promise<void> {
  const { ownFailures } = ports;
  const count = (id: number) => (ownFailures.get(id) ?? 0) + 1;
  const failed = payments.filter(({ id }) => count(id) >= callsMax);
  const others = payments.filter((payment) => !failed.includes(payment));
  // Each count follows its write: a step whose write fails is repeated, for the same failure (D-413).
  await releaseClaims(lease, others, ports);
  for (const { id } of others) ownFailures.set(id, count(id));
  for (const { id } of failed) {
    await refuse(id, 'invalid_transaction_state', ports);
    ownFailures.delete(id);
  }
}

/** Frees payments for the next claim, by this relayer worker or another. */
export async function releaseClaims(
  lease: RelayerLease,
  payments: readonly PaymentRecord[],
  { store }: Pick<ReconcilePorts, 'store'>,
): Promise<void> {
  if (payments.length > 0) await store.requeue(lease, listIds(payments));
}

export function listIds(payments: readonly PaymentRecord[]): readonly number[] {
  return payments.map(({ id }) => id);
}
