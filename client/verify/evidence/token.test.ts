import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { judge } from '../../testing/judge.ts';
import { createTokenService, tokenIssuedAt } from '../../testing/token.ts';

const service = await createTokenService();
const image = `sha256:${'ab'.repeat(32)}`;

function judged(
  claims: Record<string, unknown> = {},
  measurements: Record<string, string> = {},
): Promise<string> {
  return judge({
    attester: service.attester(claims),
    trust: { tokenKeys: service.keys },
    nowSeconds: tokenIssuedAt + 300_000,
    policy: { measurements },
  });
}

describe('A token of Confidential Space', () => {
  test('is true with its measurements, long after it has expired', async () => {
    expect(await judged()).toBe(
      'true: Confidential Space attests a machine with this key (GCP_INTEL_TDX); its code was not checked (measurements: hwmodel, swname, image_digest)',
    );
    expect(await judged({}, { image_digest: image })).toMatch(/^true: .*; image_digest as expected$/);
    expect(await judged({}, { image_digest: 'sha256:00' })).toBe(
      `false: the measurement image_digest is ${image}, not sha256:00`,
    );
  });

  test.each([
    ['of another issuer', { iss: 'https://issuer.test' }, /its "iss" is invalid$/],
    ['for another audience', { aud: 'https://audience.test' }, /its "aud" is invalid$/],
    ['that had expired at its time', { exp: tokenIssuedAt - 1 }, /its "exp" is invalid$/],
    ['without an expiry time', { exp: undefined }, /its "exp" is invalid$/],
    ['that begins later', { nbf: tokenIssuedAt + 60 }, /its "nbf" is invalid$/],
    ['from the future', { iat: tokenIssuedAt + 400_000 }, /is dated in the future$/],
    ['with other nonces', { eat_nonce: ['00'.repeat(32)] }, /made for another key, proof ledger or nonce$/],
    ['with no nonce', { eat_nonce: undefined }, /made for another key, proof ledger or nonce$/],
    ['with a debug image', { dbgstat: 'enabled' }, /so its operator has access$/],
    ['with another system', { swname: 'GCE' }, /does not run Confidential Space$/],
    [
      'of a machine whose host reads its memory',
      { hwmodel: 'GCP_SHIELDED_VM' },
      /a GCP_SHIELDED_VM, which is not a trusted/,
    ],
  ])('is false %s', async (_, claims, sentence) => {
    const said = await judged(claims);
    expect(said).toMatch(/^false: /);
    expect(said).toMatch(sentence);
  });

  test('with the signature of another service is false', async () => {
    const other = await createTokenService();
    const trust = { tokenKeys: service.keys };
    const [attester, nowSeconds] = [other.attester(), tokenIssuedAt];
    expect(await judge({ attester, trust, nowSeconds })).toBe('false: the token is not signed by its issuer');
  });

  test('without a signature, or signed with the public key as a secret, is false', async () => {
    const head = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: 'test-key' })).toString('base64url');
    const body = Buffer.from(JSON.stringify({ iat: tokenIssuedAt, exp: tokenIssuedAt + 1 })).toString(
      'base64url',
    );
    const hmac = await new SignJWT({ iat: tokenIssuedAt })
      .setProtectedHeader({ alg: 'HS256', kid: 'test-key' })
      .sign(new TextEncoder().encode(JSON.stringify(service.keys)));
    for (const token of [`${head('none')}.${body}.`, hmac, 'no.token.', '']) {
      const attester = {
        ...service.attester(),
        attest: async () => ({ format: 'jwt', evidence: Buffer.from(token) }),
      };
      const trust = { tokenKeys: service.keys };
      expect(await judge({ attester, trust, nowSeconds: tokenIssuedAt })).toMatch(
        /^false: the evidence is not a token/,
      );
    }
  });

  test('whose key is no longer published is unknown', async () => {
    const attester = service.attester();
    const trust = { tokenKeys: { keys: [] } };
    expect(await judge({ attester, trust, nowSeconds: tokenIssuedAt })).toBe(
      'unknown: the attestation service does not publish the key that signed the token',
    );
  });
});
