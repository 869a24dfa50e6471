import { createSecondGateway } from '../second/gateway.ts';
import type { Behaviour } from '../second/steps.ts';
import { type Listening, listenOnLoopback } from '../testing/stand-in.ts';

/** A sound gateway that mutants and legal variants are made of. */
export type Target = {
  readonly name: string;
  /** Of a payer with funds, who pays in every run. */
  readonly payerKey: string;
  /** Serves one more of it; its offers name `publicUrl`. */
  open(publicUrl: string): Promise<Listening>;
};

/** The second implementation, which takes its public URL from the `Host` of a request. */
export function secondTarget(steps: Partial<Behaviour> = {}): Target {
  const { listener, payerKey } = createSecondGateway(() => steps);
  return { name: 'the second implementation', payerKey, open: () => listenOnLoopback(listener) };
}
