import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeResponse,
  type FakeServer,
  fakeSocket,
  type SeenCall,
} from '../../testing/attestation/fake-server.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { hardenedClaims, token } from '../../testing/attestation/token.ts';
import { manualClock } from '../../types/clock.ts';
import { createConfidentialSpaceProvider } from './confidential-space.ts';

let launcher: (FakeServer & { socket: string }) | null = null;
afterEach(async () => {
  await launcher?.close();
  launcher = null;
});

type Respond = (call: SeenCall) => FakeResponse | null;

async function openProvider(respond: Respond, timeoutMs = 5_000) {
  launcher = await fakeSocket(respond);
  const clock = manualClock(1_700_000_001);
  return {
    provider: createConfidentialSpaceProvider({ socket: launcher.socket, timeoutMs, clock }),
    launcher,
  };
}

async function findFault(respond: Respond, timeoutMs = 5_000): Promise<string | null> {
  const { provider } = await openProvider(respond, timeoutMs);
  const made = await provider.attest(ourReportData);
  return made.ok ? null : made.fault.message;
}

const halves = (content: Uint8Array) => {
  const hex = Buffer.from(content).toString('hex');
  return [hex.slice(0, 64), hex.slice(64)];
};
/** A launcher whose token has the nonces of the request, and these claims. */
const respondWith =
  (claims: object): Respond =>
  ({ body }) => {
    const { nonces } = JSON.parse(body) as { nonces: string[] };
    return { text: token({ ...hardenedClaims, eat_nonce: nonces, ...claims }) };
  };

describe('A token of the launcher (D-78)', () => {
  it('is requested with the halves of the report data as nonces, and is the evidence unchanged', async () => {
    const { provider, launcher } = await openProvider(respondWith({}));
    const made = await provider.attest(ourReportData);
    expect(made).toEqual({
      ok: true,
      value: {
        format: 'jwt',
        evidence: expect.any(Uint8Array),
        measurements: { hwmodel: 'GCP_INTEL_TDX', swname: 'CONFIDENTIAL_SPACE', image_digest: 'sha256:ab' },
        issuedAt: 1_700_000_001,
      },
    });
    expect(made.ok && Buffer.from(made.value.evidence).toString()).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(launcher.calls).toMatchObject([
      { method: 'POST', url: '/v1/token', contentType: 'application/json' },
    ]);
    // The launcher rejects a body with an unknown field.
    expect(JSON.parse(launcher.calls[0]?.body ?? '')).toEqual({
      audience: 'paid-inference/enclave-key/v1',
      token_type: 'OIDC',
      nonces: halves(ourReportData),
    });
    expect(provider).toMatchObject({ kind: 'confidential-space', hardware: true });
  });

  it.each([['GCP_AMD_SEV'], ['GCP_AMD_SEV_ES'], ['GCP_INTEL_TDX']])(
    'of a %s is accepted as hardware',
    async (hwmodel) => {
      expect(await findFault(respondWith({ hwmodel }))).toBeNull();
    },
  );
});

describe('A token is rejected', () => {
  it.each([
    ['with other nonces', respondWith({ eat_nonce: halves(otherData) }), 'other report data'],
    [
      'with only one of the nonces',
      respondWith({ eat_nonce: halves(ourReportData).slice(0, 1) }),
      'other report data',
    ],
    ['with a nonce as text', respondWith({ eat_nonce: halves(ourReportData)[0] }), 'other report data'],
    ['without nonces', respondWith({ eat_nonce: undefined }), 'other report data'],
    ['for another audience', respondWith({ aud: 'https://sts.example' }), 'other report data'],
    [
      'of a machine whose memory the host can read',
      respondWith({ hwmodel: 'GCP_SHIELDED_VM' }),
      'GCP_SHIELDED_VM, which is not a trusted',
    ],
    ['without a machine model', respondWith({ hwmodel: undefined }), 'not a trusted execution environment'],
    ['of another system', respondWith({ swname: 'GCE' }), 'does not run Confidential Space'],
    ['of a debug image', respondWith({ dbgstat: 'enabled' }), 'debug image'],
    ['that is an error text', () => ({ text: 'failed to get the token' }), 'not a token'],
    ['whose claims are not JSON', () => ({ text: 'aaaa.bbbb.cccc' }), 'not a token'],
    [
      'with an error status',
      () => ({ status: 400, text: 'token_type is a required parameter' }),
      'no token (HTTP 400)',
    ],
    ['that is too large', () => ({ text: 'x'.repeat(1_048_577) }), 'larger than 1048576 bytes'],
  ] as Array<[string, Respond, string]>)('%s', async (_name, respond, sentence) => {
    expect(await findFault(respond)).toContain(sentence);
  });

  it('that does not arrive in time', async () => {
    expect(await findFault(() => null, 30)).toMatch(/^no response from .* in time$/);
  });

  it('when no launcher is running', async () => {
    const options = { socket: '/nowhere/teeserver.sock', timeoutMs: 1_000, clock: manualClock(1) };
    const message = 'nothing listens at /nowhere/teeserver.sock (ENOENT)';
    expect(await createConfidentialSpaceProvider(options).attest(ourReportData)).toEqual({
      ok: false,
      fault: { isAbsent: true, message },
    });
  });
});
