import { LeaseLost, StaleFence } from '../store/relayer-lease.ts';
import { type OpenStore, StoreUnavailable } from '../store/store.ts';
import type { Clock } from '../types/clock.ts';
import { type PaymentState, transitions, undecidedFailure } from '../types/payment-states.ts';
import type { Instruments } from './instruments.ts';

type Ports = { readonly instruments: Instruments; readonly clock: Clock };
type AnyOperation = (...parameters: readonly unknown[]) => Promise<unknown>;

/** The reasons with which payments fail, and every state that payments reach by a counted transition. */
const failureReasons = [
  ...['third_party_sender', 'moved_otherwise', 'insufficient_funds', 'authorization_canceled'],
  ...['authorization_used', 'payment_expired', 'invalid_transaction_state', undecidedFailure],
];
const other = 'other';
const uncountedStates: readonly PaymentState[] = ['submitted'];

/** Measures every operation of the store, and counts the payments that it brings into a state. */
export function observeStore(store: OpenStore, { instruments, clock }: Ports): OpenStore {
  const states = instruments.paid_inference_payments_total;
  const failures = instruments.paid_inference_payment_failures_total;
  // A counter that begins with its first event shows no increase.
  for (const state of Object.keys(transitions) as PaymentState[])
    if (!uncountedStates.includes(state)) states.inc({ state }, 0);
  for (const reason of [...failureReasons, other]) failures.inc({ reason }, 0);
  for (const kind of ['unavailable', 'lease', 'defect'])
    instruments.paid_inference_store_failures_total.inc({ kind }, 0);

  const measured = Object.fromEntries(
    Object.entries(store).map(([name, operation]) => [name, measure(name, operation as AnyOperation)]),
  ) as unknown as OpenStore;
  return { ...measured, close: () => store.close(), ...countTransitions(measured, instruments) };

  function measure(operation: string, run: AnyOperation): AnyOperation {
    const inProgress = instruments.paid_inference_store_operations_in_progress;
    return async (...parameters) => {
      const startedAt = clock.monotonicMs();
      inProgress.inc();
      try {
        return await run(...parameters);
      } catch (cause) {
        instruments.paid_inference_store_failures_total.inc({ kind: describe(cause) });
        throw cause;
      } finally {
        inProgress.dec();
        instruments.paid_inference_store_duration_seconds.observe(
          { operation },
          (clock.monotonicMs() - startedAt) / 1_000,
        );
      }
    };
  }
}

/** Counts the payments of the operations that change their state. */
function countTransitions(
  inner: OpenStore,
  { paid_inference_payments_total: states, paid_inference_payment_failures_total: failures }: Instruments,
): Pick<
  OpenStore,
  | ('reserve' | 'execute' | 'owe' | 'release' | 'releaseAbandoned')
  | ('settle' | 'fail' | 'expire' | 'retry' | 'finalise')
> {
  const count = (state: PaymentState, payments = 1) => states.inc({ state }, payments);
  return {
    async reserve(...parameters) {
      const reserved = await inner.reserve(...parameters);
      if (reserved.kind === 'reserved') count('reserved');
      return reserved;
    },
    async execute(...parameters) {
      await inner.execute(...parameters);
      count('executed');
    },
    async owe(id) {
      await inner.owe(id);
      count('executed');
    },
    async release(id) {
      await inner.release(id);
      count('released');
    },
    async releaseAbandoned(now) {
      const released = await inner.releaseAbandoned(now);
      count('released', released);
      return released;
    },
    async settle(ids, inclusion) {
      await inner.settle(ids, inclusion);
      count('settled', ids.length);
    },
    async fail(id, failure, debt) {
      await inner.fail(id, failure, debt);
      count('failed');
      failures.inc({ reason: failureReasons.includes(failure) ? failure : other });
    },
    async expire(id) {
      await inner.expire(id);
      count('expired');
    },
    async retry(...parameters) {
      const retried = await inner.retry(...parameters);
      if (retried !== null) count('executed');
      return retried;
    },
    async finalise(block) {
      const finalised = await inner.finalise(block);
      count('final', finalised);
      return finalised;
    },
  };
}

function describe(cause: unknown): 'unavailable' | 'lease' | 'defect' {
  if (cause instanceof StoreUnavailable) return 'unavailable';
  return cause instanceof LeaseLost || cause instanceof StaleFence ? 'lease' : 'defect';
}
