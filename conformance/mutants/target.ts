import { createIndependentGateway } from '../independent/gateway.ts';
import type { Behaviour } from '../independent/steps.ts';
import { type Listening, listenOnLoopback } from '../testing/fake-target.ts';

/** A sound gateway that mutants and legal variants are made of. */
export type Target = {
  readonly name: string;
  /** Of a payer with funds, who pays in every run. */
  readonly payerKey: string;
  /** Serves one more of it; its offers name `publicUrl`. */
  open(publicUrl: string): Promise<Listening>;
};

/** The second implementation, which takes its public URL from the `Host` of a request. */
export function independentTarget(steps: Partial<Behaviour> = {}): Target {
  const { listener, payerKey } = createIndependentGateway(() => steps);
  return { name: 'the independent implementation', payerKey, open: () => listenOnLoopback(listener) };
}
