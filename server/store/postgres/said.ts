import { describeStaleLease } from '../lease-rules.ts';
import { type RelayerLease, StaleFence } from '../relayer-lease.ts';

import { refusal, type Transition } from '../transitions.ts';
import { condition } from './conditions.ts';
import { codeOf } from './faults.ts';

/** What an operation was about, for the error that its caller gets when one of our conditions stopped it. */
export type About = {
  readonly ids?: readonly number[];
  readonly transition?: Transition;
  readonly lease?: RelayerLease;
};

/** Turns the conditions that our functions raise into what both drivers say. */
export async function saying<T>({ ids = [], transition, lease }: About, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const code = codeOf(cause);
    if (code === condition.refused && transition !== undefined) throw new Error(refusal(ids, transition));
    if (code === condition.staleFence && lease !== undefined) {
      throw new StaleFence(describeStaleLease(lease.relayer, lease.fence));
    }
    if (code === condition.journal) throw new Error((cause as Error).message);
    throw cause;
  }
}
