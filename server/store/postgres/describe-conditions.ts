import { describeStaleLease } from '../lease-rules.ts';
import { type RelayerLease, StaleFence } from '../relayer-lease.ts';

import { refusal, type Transition } from '../transitions.ts';
import { condition } from './conditions.ts';
import { readCode } from './faults.ts';

/** The subject of an operation, for the error that the caller gets when a condition stops the operation. */
export type Subject = {
  readonly ids?: readonly number[];
  readonly transition?: Transition;
  readonly lease?: RelayerLease;
};

/** Turns the conditions of the SQL functions into the errors that both drivers throw. */
export async function describeConditions<T>(
  { ids = [], transition, lease }: Subject,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const code = readCode(cause);
    if (code === condition.refused && transition !== undefined) throw new Error(refusal(ids, transition));
    if (code === condition.staleFence && lease !== undefined) {
      throw new StaleFence(describeStaleLease(lease.relayer, lease.fence));
    }
    if (code === condition.journal) throw new Error((cause as Error).message);
    throw cause;
  }
}
