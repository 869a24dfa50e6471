import { createSign, generateKeyPairSync } from 'node:crypto';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** The claims of a hardened image on hardware, without the nonces. */
export const hardenedClaims = {
  aud: 'paid-inference/enclave-key/v1',
  iss: 'https://attestation.example',
  iat: 1_700_000_000,
  exp: 1_700_003_600,
  hwmodel: 'GCP_INTEL_TDX',
  swname: 'CONFIDENTIAL_SPACE',
  dbgstat: 'disabled-since-boot',
  submods: { container: { image_digest: 'sha256:ab' } },
};

/** Makes a JWT (RS256) with these claims, signed by a random key. */
export function token(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: 'made-here' })}.${part(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey).toString('base64url')}`;
}
