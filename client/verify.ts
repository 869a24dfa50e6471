/** Verification of an exchange, apart from `index.ts`: it reads certificates with Node's own crypto, which browsers do not have. */
export type { AttestationPolicy } from './verify/attestation.ts';
export type { AttestationTrust } from './verify/evidence/evidence-case.ts';
export type { Finding, Verdict } from './verify/finding.ts';
export {
  type StepName,
  type Verification,
  type VerificationStep,
  type VerifyOptions,
  verifyExchange,
} from './verify/verify-exchange.ts';
