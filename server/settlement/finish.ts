import type { Mined } from '../chain/chain-view.ts';
import { findMined } from '../relayer/nonce.ts';
import type { RelayerLease } from '../store/relayer-lease.ts';
import type { PaymentRecord } from '../store/store.ts';
import { pause } from '../types/signal.ts';
import { type ConcludePorts, concludeEach, refuse, settlePaid } from './conclude.ts';

export type FinishPorts = ConcludePorts & {
  /** Renews the relayer's lease in good time; throws `StaleFence` when somebody else has it. */
  readonly stillHolds: () => Promise<void>;
  /** By payment, how often its own call moved nothing though a simulation passes. One for all relayer workers of a process. */
  readonly ownFailures: Map<number, number>;
};

/** The end of a relayer nonce: what it carried is settled, refused, or free for another transaction. */
export interface Finish {
  /** One of its transactions is in a block. */
  mined(lease: RelayerLease, payments: readonly PaymentRecord[], mined: Mined): Promise<void>;
  /** Somebody else's is, and none of ours ever will be. */
  lost(lease: RelayerLease, payments: readonly PaymentRecord[]): Promise<void>;
  /** Frees them for the next claim, of this relayer worker or another. */
  releaseClaims(lease: RelayerLease, payments: readonly PaymentRecord[]): Promise<void>;
}

/** Calls that are tried for one payment. One that fails so often fails by itself: every call has its own gas. */
const callsMax = 2;

/** Each resolves when every payment is concluded, or when the relayer worker is told to close. */
export function createFinish(ports: FinishPorts): Finish {
  const { rpc, store, askAgainMs, closing, ownFailures } = ports;
  return {
    async mined(lease, payments, mined) {
      let left = await settlePaid(payments, mined, ports);
      for (const { id } of payments) if (!left.some((each) => each.id === id)) ownFailures.delete(id);
      // Logs that are missing altogether may only be late, and are read once more.
      if (left.length > 0 && mined.logs.length === 0) {
        await pause(askAgainMs, closing);
        const again = await findMined(rpc, [{ hash: mined.txHash }]);
        if (again.ok && again.value !== null) left = await settlePaid(left, again.value, ports);
      }
      // A batch that was undone as a whole gave its calls no chance.
      const isOfTheBatch = mined.isReverted && payments.length > 1;
      await concludeRest(lease, left, mined.block, isOfTheBatch ? releaseClaims : tryAgain);
    },
    lost: (lease, payments) => concludeRest(lease, payments, 0, releaseClaims),
    releaseClaims,
  };

  /** What no transaction was seen to pay for: each is asked about until the chain has an answer. */
  async function concludeRest(
    lease: RelayerLease,
    payments: readonly PaymentRecord[],
    seenBlock: number,
    sendAgain: (lease: RelayerLease, payments: readonly PaymentRecord[]) => Promise<void>,
  ): Promise<void> {
    let rest = payments;
    while (rest.length > 0 && !closing.aborted) {
      const { again, held, unknown } = await concludeEach(rest, ports, seenBlock);
      const open = new Set(idsOf([...again, ...held, ...unknown]));
      for (const { id } of rest) if (!open.has(id)) ownFailures.delete(id);
      await sendAgain(lease, again);
      await releaseClaims(lease, held);
      rest = unknown;
      if (rest.length === 0) return;
      await pause(askAgainMs, closing);
      await ports.stillHolds();
    }
  }

  async function tryAgain(lease: RelayerLease, payments: readonly PaymentRecord[]): Promise<void> {
    for (const { id } of payments) ownFailures.set(id, (ownFailures.get(id) ?? 0) + 1);
    const failed = payments.filter(({ id }) => (ownFailures.get(id) ?? 0) >= callsMax);
    await releaseClaims(
      lease,
      payments.filter((payment) => !failed.includes(payment)),
    );
    for (const { id } of failed) {
      ownFailures.delete(id);
      await refuse(id, 'invalid_transaction_state', ports);
    }
  }

  async function releaseClaims(lease: RelayerLease, payments: readonly PaymentRecord[]): Promise<void> {
    if (payments.length > 0) await store.requeue(lease, idsOf(payments));
  }
}

export function idsOf(payments: readonly PaymentRecord[]): readonly number[] {
  return payments.map(({ id }) => id);
}
