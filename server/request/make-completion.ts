import type { Inference } from '../inference/engine.ts';
import type { KeptProof } from '../store/proof-store.ts';
import type { StreamIdentity } from './chunk-writer.ts';
import type { PaidPorts, PricedRequest } from './paid-request.ts';

/** The body of a response, and the proof of it. */
export type MadeCompletion = { readonly completion: string; readonly proof: KeptProof };

/** Composes the body, and signs its proof, which is due once the payment settles (contract §1, §4.3). */
export function makeCompletion(
  { compose, inputHash, task, settlementType }: PricedRequest,
  inference: Inference,
  identity: StreamIdentity,
  { prover }: Pick<PaidPorts, 'prover'>,
): MadeCompletion {
  const completion = wellFormed(compose(inference, identity));
  const proof = prover.prove({ inputHash, completion, model: task.model, settlementType });
  return { completion, proof };
}

/**
 * Serializes the body. An engine may write half a surrogate pair, which has no canonical form and cannot be
 * proven (D-68).
 */
function wellFormed(body: object): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}
