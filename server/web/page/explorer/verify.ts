import { type StepName, type VerificationStep, verifyExchange } from '@paid-inference/client/verify';
import { endpoints, exchangeFormat, headerNames } from '@paid-inference/contract/constants';
import { encodeInferenceProof } from '@paid-inference/contract/headers';
import type { Attestation, InferenceProof, ProofRecord, SavedExchange } from '@paid-inference/contract/types';
import { hexlify, randomBytes } from 'ethers';
import type { SiteFacts } from '../../facts.ts';
import { nodeUrls, pinned } from '../nodes.ts';
import { gatewayUrl } from '../root.ts';
import type { ShownStep } from './step-list.tsx';

const titles: Readonly<Record<StepName, string>> = {
  hashes: 'The proof has the hashes of request and response',
  signature: 'The enclave key signed the proof',
  key: 'The proof ledger has registered the key',
  attestation: 'The evidence binds the key to the proof ledger',
  freshness: 'The gateway has this key now, and made new evidence for this check',
  inclusion: 'The proof ledger has the record',
  payment: 'The transaction moved the signed amount',
};

/** All steps of the client. The nonce is new, so that the gateway cannot have made the evidence before. */
function verify(exchange: SavedExchange, facts: SiteFacts, waitSeconds: number) {
  const nonce = hexlify(randomBytes(32));
  return verifyExchange(exchange, { ...nodeUrls(), ...pinned(facts), gatewayUrl, nonce, waitSeconds });
}

/** Verifies a saved exchange. Returns the record of the proof too, if the proof ledger confirmed it. */
export async function verifySaved(
  exchange: SavedExchange,
  facts: SiteFacts,
  waitSeconds: number,
): Promise<{ readonly steps: readonly ShownStep[]; readonly record: ProofRecord | null }> {
  const verified = await verify(exchange, facts, waitSeconds);
  return { steps: verified.steps.map(present), record: verified.exchange.proof ?? null };
}

/** The steps that need the request, the response or the payment, which a visitor with a proof id does not have. */
const needExchange: ReadonlySet<StepName> = new Set(['hashes', 'payment']);

/** Verifies the record of a proof. Request, response and payment stay with the buyer, so their steps are left out. */
export async function verifyRecord(
  record: ProofRecord,
  attestation: Attestation,
  facts: SiteFacts,
): Promise<readonly ShownStep[]> {
  const verified = await verify(exchangeOf(record, attestation), facts, 0);
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
      url: `${gatewayUrl}${endpoints.createChatCompletion.path}`,
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
