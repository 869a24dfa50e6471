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
import { type EvidenceCase, type EvidenceFinding, refutes, shows, unreadable } from './evidence-case.ts';

/** The attestation service of Confidential Space, and where its keys are published. */
const issuer = 'https://confidentialcomputing.googleapis.com';
const keysUrl =
  'https://www.googleapis.com/service_accounts/v1/metadata/jwk/signer@confidentialspace-sign.iam.gserviceaccount.com';
const keysTimeoutMs = 10_000;

/** How far the service's clock may be ahead of ours. */
const skewSeconds = 300;

/** Other models are machines whose memory the host can read. */
const trustedModel = /^GCP_(AMD_SEV|INTEL_TDX)/;

/**
 * A token of Confidential Space: the service looked at the machine and signed what it saw, with the halves of our 64
 * bytes in hex among its nonces (D-78). A token lives for an hour and the key that it vouches for for longer, so it is
 * judged at its own time; once the service no longer publishes the key that signed, nobody can tell any more.
 */
export async function readToken({
  evidence,
  reportData,
  trust,
  nowSeconds,
}: EvidenceCase): Promise<EvidenceFinding> {
  const token = evidence.toString('latin1');
  const issuedAt = issuedAtOf(token);
  if (issuedAt === null) return refutes('the evidence is no token');
  if (issuedAt > nowSeconds + skewSeconds) return refutes('the token is from the future');
  const verified = await verifyToken(token, trust.tokenKeys, issuedAt);
  if (!verified.ok) return verified.finding;
  const nonces: unknown[] = [verified.claims['eat_nonce']].flat();
  const halves = [reportData.subarray(0, 32), reportData.subarray(32)].map((half) => half.toString('hex'));
  if (!halves.every((half) => nonces.includes(half))) {
    return refutes('the token was made for another key, ledger or nonce');
  }
  const { hwmodel, swname, dbgstat } = verified.claims;
  if (dbgstat !== 'disabled-since-boot')
    return refutes('the machine runs a debug image, open to its operator');
  if (swname !== 'CONFIDENTIAL_SPACE') return refutes('the machine does not run Confidential Space');
  if (!trustedModel.test(String(hwmodel))) {
    return refutes(`the machine is a ${hwmodel}, which is no trusted execution environment`);
  }
  const container = member(verified.claims['submods'], 'container');
  const named = { hwmodel, swname, image_digest: member(container, 'image_digest') };
  const measurements = Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  return shows(`Confidential Space vouches for a machine with this key (${hwmodel})`, true, measurements);
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
    return { ok: false, finding: findingOf(error) };
  }
}

function findingOf(error: unknown): EvidenceFinding {
  if (error instanceof errors.JWKSNoMatchingKey) {
    return unreadable(
      'the key that signed the token is not among those that the attestation service publishes',
    );
  }
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    return refutes(`the token does not stand: its "${error.claim}" is not what it should be`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refutes('the token is not signed by its issuer');
  }
  if (tokenFaults.some((fault) => error instanceof fault))
    return refutes('the evidence is no token of the service');
  return unreadable('the keys of the attestation service could not be had');
}

/** What is wrong with a token, and not with the keys that it needs. */
const tokenFaults = [errors.JWSInvalid, errors.JWTInvalid, errors.JOSEAlgNotAllowed, errors.JOSENotSupported];

function issuedAtOf(token: string): number | null {
  try {
    return decodeJwt(token).iat ?? null;
  } catch {
    return null;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
