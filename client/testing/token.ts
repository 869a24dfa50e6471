import { attestationBinding } from '@paid-inference/contract/constants';
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';
import type { Attester } from './enclave.ts';

/** A fake attestation service with its own keys. */
export type TokenService = {
  readonly keys: JSONWebKeySet;
  attester(claims?: Record<string, unknown>): Attester;
};

export const tokenIssuedAt = 1_790_000_000;

const image = `sha256:${'ab'.repeat(32)}`;

/** Signs the claims of a production image on trusted hardware. A test may change each claim. */
export async function createTokenService(): Promise<TokenService> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = 'test-key';
  return {
    keys: { keys: [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }] },
    attester: (claims = {}) => ({
      provider: 'confidential-space',
      hardware: true,
      async attest(reportData) {
        const halves = [reportData.subarray(0, 32), reportData.subarray(32)].map((half) =>
          half.toString('hex'),
        );
        const token = await new SignJWT({
          iss: 'https://confidentialcomputing.googleapis.com',
          aud: attestationBinding,
          iat: tokenIssuedAt,
          nbf: tokenIssuedAt,
          exp: tokenIssuedAt + 3_600,
          eat_nonce: halves,
          dbgstat: 'disabled-since-boot',
          swname: 'CONFIDENTIAL_SPACE',
          hwmodel: 'GCP_INTEL_TDX',
          submods: { container: { image_digest: image } },
          ...claims,
        })
          .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
          .sign(privateKey);
        return { format: 'jwt', evidence: Buffer.from(token) };
      },
    }),
  };
}
