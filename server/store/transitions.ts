import { listSources, type PaymentState, type transitions } from '../types/payment-states.ts';

/** The transition of an operation. A payment in no state of `from` does not change. */
export type Transition = { readonly to: PaymentState; readonly from: readonly PaymentState[] };

/** Every transition that the store makes, by operation. */
export const storeTransitions = {
  execute: transition('executed', 'reserved'),
  owe: transition('executed', 'reserved'),
  release: transition('released', 'reserved'),
  releaseLost: transition('released', 'executed'),
  submit: transition('submitted', 'executed'),
  requeue: transition('executed', 'submitted'),
  retry: transition('executed', 'failed'),
  settle: { to: 'settled', from: listSources('settled') },
  fail: { to: 'failed', from: listSources('failed') },
  expire: { to: 'expired', from: listSources('expired') },
  finalise: { to: 'final', from: listSources('final') },
  reopen: transition('submitted', 'settled'),
} as const satisfies Record<string, Transition>;

/** Lists states for SQL: `'executed', 'submitted'`. */
export function listed(states: readonly PaymentState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
}

/** The error of both drivers when a payment is in no state that the operation accepts. */
export function refusal(ids: readonly number[], { to, from }: Transition): string {
  return `payment ${ids.join(', ')} cannot become ${to}, because not all of these payments are ${from.join(' or ')}`;
}

type SourceOf<Target extends PaymentState> = {
  [Source in PaymentState]: Target extends (typeof transitions)[Source][number] ? Source : never;
}[PaymentState];

/** Makes a transition. Does not compile for one that payments do not make. */
function transition<Target extends PaymentState>(
  to: Target,
  ...from: readonly SourceOf<Target>[]
): Transition {
  return { to, from };
}
