import { createIndependentGateway } from '../independent/gateway.ts';
import type { Behaviour } from '../independent/steps.ts';
import { type Listening, listenOnLoopback } from '../testing/fake-target.ts';

/** A sound gateway that edges turn into mutants and legal variants. */
export type Target = {
  readonly name: string;
  /** Private key of the payer with funds, who pays in every run. */
  readonly payerKey: string;
  /** Opens a new gateway whose offers name `publicUrl`. */
  open(publicUrl: string): Promise<Listening>;
};

/** The independent implementation, which reads its public URL from the `Host` header of a request. */
export function independentTarget(steps: Partial<Behaviour> = {}): Target {
  const { listener, payerKey } = createIndependentGateway(() => steps);
  return { name: 'the independent implementation', payerKey, open: () => listenOnLoopback(listener) };
}
