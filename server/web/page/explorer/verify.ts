import { type StepName, type VerificationStep, verifyExchange } from '@paid-inference/client/verify';
import { exchangeFormat, headerNames } from '@paid-inference/contract/constants';
import { encodeInferenceProof } from '@paid-inference/contract/headers';
import type { Attestation, InferenceProof, ProofRecord, SavedExchange } from '@paid-inference/contract/types';
import type { SiteFacts } from '../../facts.ts';
import { nodeUrls, pinned } from '../nodes.ts';
import type { ShownStep } from './step-list.tsx';

const titles: Readonly<Record<StepName, string>> = {
  hashes: 'The proof has the hashes of request and response',
  signature: 'The enclave key signed the proof',
  key: 'The proof ledger has registered the key',
  attestation: 'The evidence binds the key to the proof ledger',
  freshness: 'The evidence is fresh',
  inclusion: 'The proof ledger has the record',
  payment: 'The transaction moved the signed amount',
};

/** Verifies a saved exchange with all steps of the client. */
export async function verifySaved(
  exchange: SavedExchange,
  facts: SiteFacts,
  waitSeconds: number,
): Promise<readonly ShownStep[]> {
  const gatewayUrl = location.origin;
  const verified = await verifyExchange(exchange, {
    ...nodeUrls(),
    ...pinned(facts),
    gatewayUrl,
    waitSeconds,
  });
  return verified.steps.map(present);
}

/** The steps that need the request, the response or the payment, which a visitor with a proof id does not have. */
const needExchange: ReadonlySet<StepName> = new Set(['hashes', 'payment']);

/** Verifies the record of a proof. Request, response and payment stay with the buyer, so their steps are left out. */
export async function verifyRecord(
  record: ProofRecord,
  attestation: Attestation,
  facts: SiteFacts,
): Promise<readonly ShownStep[]> {
  const exchange = exchangeOf(record, attestation);
  const verified = await verifyExchange(exchange, {
    ...nodeUrls(),
    ...pinned(facts),
    gatewayUrl: location.origin,
  });
  return verified.steps.filter(({ step }) => !needExchange.has(step)).map(present);
}

/** The proof of a record, as the header of its response had it. */
function exchangeOf(
  { leaf, signature, ledger, settlementType }: ProofRecord,
  attestation: Attestation,
): SavedExchange {
  const { provider, hardware, evidenceHash } = attestation;
  const proof: InferenceProof = {
    ...leaf,
    settlementType,
    signature,
    canonicalization: 'jcs-rfc8785',
    attestation: { provider, hardware, evidenceHash },
    ledger,
  };
  return {
    format: exchangeFormat,
    request: {
      method: 'POST',
      url: `${location.origin}/v1/chat/completions`,
      headers: { [headerNames.settlementType]: settlementType },
      body: '{}',
    },
    response: {
      status: 200,
      headers: { [headerNames.inferenceProof]: encodeInferenceProof(proof) },
      body: '{}',
    },
  };
}

function present({ step, verdict, sentence }: VerificationStep): ShownStep {
  return { title: titles[step], verdict, sentence };
}
