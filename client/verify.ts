/**
 * Verification has its own entry point, because it loads readers of hardware evidence. Bundles for browsers lack these.
 */
export { readTransfers, type Transfers } from './transfer-events.ts';
export type { AttestationPolicy } from './verify/attestation.ts';
export type { AttestationTrust } from './verify/evidence/evidence-case.ts';
export type { Finding, Verdict } from './verify/finding.ts';
export { computeRoot, hashLeaf } from './verify/leaf.ts';
export {
  type StepName,
  type Verification,
  type VerificationStep,
  type VerifyOptions,
  verifyExchange,
} from './verify/verify-exchange.ts';
