import type { LaneLease, PaymentRecord } from '../store/store.ts';
import type { Mined } from './chain-view.ts';
import { type ConcludePorts, concludeEach, settlePaid } from './conclude.ts';
import { findMined } from './nonce.ts';
import { pause } from './signal.ts';

export type FinishPorts = ConcludePorts & {
  /** Renews the lane's lease in good time; throws `StaleFence` when somebody else has it. */
  readonly stillHolds: () => Promise<void>;
};

/** The end of a relayer nonce: what it carried is settled, refused, or free for another transaction. */
export interface Finish {
  /** One of its transactions is in a block. */
  mined(lease: LaneLease, payments: readonly PaymentRecord[], mined: Mined): Promise<void>;
  /** Somebody else's is, and none of ours ever will be. */
  lost(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void>;
  /** Frees them for the next claim, of this lane or another. */
  giveBack(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void>;
}

/** Times that one payment goes into another transaction after one that was mined without effect. */
const attemptsMax = 3;

/** Each resolves when every payment is concluded, or when the lane is told to close. */
export function createFinish(ports: FinishPorts): Finish {
  const { rpc, store, askAgainMs, closing } = ports;
  const attempts = new Map<number, number>();
  return {
    async mined(lease, payments, mined) {
      let left = await settlePaid(payments, mined, ports);
      // Logs that are missing altogether may only be late, and are read once more.
      if (left.length > 0 && mined.logs.length === 0) {
        await pause(askAgainMs, closing);
        const again = await findMined(rpc, [{ hash: mined.txHash }]);
        if (again.ok && again.value !== null) left = await settlePaid(left, again.value, ports);
      }
      await concludeRest(lease, left, mined.block, tryAgain);
    },
    lost: (lease, payments) => concludeRest(lease, payments, 0, giveBack),
    giveBack,
  };

  /** What no transaction was seen to pay for: each is asked about until the chain has an answer. */
  async function concludeRest(
    lease: LaneLease,
    payments: readonly PaymentRecord[],
    seenBlock: number,
    sendAgain: (lease: LaneLease, payments: readonly PaymentRecord[]) => Promise<void>,
  ): Promise<void> {
    let rest = payments;
    while (rest.length > 0 && !closing.aborted) {
      const { again, early, unknown } = await concludeEach(rest, ports, seenBlock);
      await sendAgain(lease, again);
      await giveBack(lease, early);
      rest = unknown;
      if (rest.length === 0) return;
      await pause(askAgainMs, closing);
      await ports.stillHolds();
    }
  }

  async function tryAgain(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void> {
    for (const { id } of payments) attempts.set(id, (attempts.get(id) ?? 0) + 1);
    const hopeless = payments.filter(({ id }) => (attempts.get(id) ?? 0) >= attemptsMax);
    await giveBack(
      lease,
      payments.filter((payment) => !hopeless.includes(payment)),
    );
    for (const { id } of hopeless) {
      attempts.delete(id);
      await store.fail(id, 'invalid_transaction_state', null);
      ports.announce(id, { state: 'refused', reason: 'invalid_transaction_state' });
    }
  }

  async function giveBack(lease: LaneLease, payments: readonly PaymentRecord[]): Promise<void> {
    if (payments.length > 0) await store.requeue(lease, idsOf(payments));
  }
}

export function idsOf(payments: readonly PaymentRecord[]): readonly number[] {
  return payments.map(({ id }) => id);
}
