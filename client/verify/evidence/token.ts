import { attestationBinding } from '@paid-inference/contract/constants';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import {
  clockSkewSecondsMax,
  type EvidenceFinding,
  type HardwareCase,
  refutes,
  shows,
  unreadable,
} from './evidence-case.ts';

/** The attestation service of Confidential Space, and where its keys are published. */
const issuer = 'https://confidentialcomputing.googleapis.com';
const keysUrl =
  'https://www.googleapis.com/service_accounts/v1/metadata/jwk/signer@confidentialspace-sign.iam.gserviceaccount.com';
const keysTimeoutMs = 10_000;

/** The host can read the memory of all other models. */
const trustedModel = /^GCP_(AMD_SEV|INTEL_TDX)/;

/**
 * Verifies a token of Confidential Space: the service examined the machine and signed the result, with the hex
 * halves of our 64 bytes among the nonces (D-78). A token expires after an hour, before its enclave key does,
 * so it is checked at its own time. It cannot be verified once the service no longer publishes the signing key.
 */
export async function readToken({
  evidence,
  reportData,
  trust,
  nowSeconds,
}: HardwareCase): Promise<EvidenceFinding> {
  const token = evidence.toString('latin1');
  const issuedAt = readIssuedAt(token);
  if (issuedAt === null) return refutes('the evidence is not a token');
  if (issuedAt > nowSeconds + clockSkewSecondsMax) return refutes('the token is dated in the future');
  const verified = await verifyToken(token, trust.tokenKeys, issuedAt);
  if (!verified.ok) return verified.finding;
  const nonces: unknown[] = [verified.claims['eat_nonce']].flat();
  const halves = [reportData.subarray(0, 32), reportData.subarray(32)].map((half) => half.toString('hex'));
  if (!halves.every((half) => nonces.includes(half))) {
    return refutes('the token was made for another key, proof ledger or nonce');
  }
  const { hwmodel, swname, dbgstat } = verified.claims;
  if (dbgstat !== 'disabled-since-boot')
    return refutes('the machine runs a debug image, so its operator has access');
  if (swname !== 'CONFIDENTIAL_SPACE') return refutes('the machine does not run Confidential Space');
  if (!trustedModel.test(String(hwmodel))) {
    return refutes(`the machine is a ${hwmodel}, which is not a trusted execution environment`);
  }
  const container = member(verified.claims['submods'], 'container');
  const named = { hwmodel, swname, image_digest: member(container, 'image_digest') };
  const measurements = Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  return shows(`Confidential Space attests a machine with this key (${hwmodel})`, true, measurements);
}

type Verified =
  | { readonly ok: true; readonly claims: JWTPayload }
  | { readonly ok: false; readonly finding: EvidenceFinding };

async function verifyToken(
  token: string,
  given: JSONWebKeySet | undefined,
  issuedAt: number,
): Promise<Verified> {
  try {
    const keys =
      given === undefined
        ? createRemoteJWKSet(new URL(keysUrl), { timeoutDuration: keysTimeoutMs })
        : createLocalJWKSet(given);
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience: attestationBinding,
      algorithms: ['RS256'],
      requiredClaims: ['iat', 'exp'],
      currentDate: new Date(issuedAt * 1000),
    });
    return { ok: true, claims: payload };
  } catch (error) {
    return { ok: false, finding: describeTokenError(error) };
  }
}

function describeTokenError(error: unknown): EvidenceFinding {
  if (error instanceof errors.JWKSNoMatchingKey) {
    return unreadable('the attestation service does not publish the key that signed the token');
  }
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return refutes(`the token is invalid: its "${error.claim}" is invalid`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refutes('the token is not signed by its issuer');
  }
  if (tokenFaults.some((fault) => error instanceof fault))
    return refutes('the evidence is not a token of the service');
  return unreadable('the keys of the attestation service could not be fetched');
}

/** Errors of the token itself, not of the keys. */
const tokenFaults = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSEAlgNotAllowed, errors.JOSENotSupported];

function readIssuedAt(token: string): number | null {
  try {
    return decodeJwt(token).iat ?? null;
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
