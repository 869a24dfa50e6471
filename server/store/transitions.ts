import { type PaymentState, sourcesOf, type transitions } from '../types/payment-states.ts';

/** A change of state that an operation makes: a payment in none of `from` is left as it is. */
export type Transition = { readonly to: PaymentState; readonly from: readonly PaymentState[] };

/** Every change of state that the store makes, by its operation. */
export const storeTransitions = {
  execute: transition('executed', 'reserved'),
  release: transition('released', 'reserved'),
  submit: transition('submitted', 'executed'),
  requeue: transition('executed', 'submitted'),
  retry: transition('executed', 'failed'),
  settle: { to: 'settled', from: sourcesOf('settled') },
  fail: { to: 'failed', from: sourcesOf('failed') },
  expire: { to: 'expired', from: sourcesOf('expired') },
  finalise: { to: 'final', from: sourcesOf('final') },
  reopen: transition('submitted', 'settled'),
} as const satisfies Record<string, Transition>;

/** States as SQL lists them: `'executed', 'submitted'`. */
export function listed(states: readonly PaymentState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

/** What both drivers say when a payment is not where an operation needs it. */
export function refusal(ids: readonly number[], { to, from }: Transition): string {
  return `payment ${ids.join(', ')}: not all are ${from.join(' or ')}, they cannot become ${to}`;
}

type SourceOf<Target extends PaymentState> = {
  [Source in PaymentState]: Target extends (typeof transitions)[Source][number] ? Source : never;
}[PaymentState];

/** Does not compile for a way that a payment's life does not have. */
function transition<Target extends PaymentState>(
  to: Target,
  ...from: readonly SourceOf<Target>[]
): Transition {
  return { to, from };
}
