import type { SavedExchange } from '@paid-inference/client';
import { headerNames } from '@paid-inference/contract/constants';
import { decodeInferenceProof } from '@paid-inference/contract/headers';

/** The proof id of a saved exchange. Null without a proof. */
export function readProofId({ response }: SavedExchange): string | null {
  const header = new Headers(response.headers).get(headerNames.inferenceProof);
  const decoded = header === null ? null : decodeInferenceProof(header);
  return decoded?.ok ? decoded.value.proofId : null;
}
