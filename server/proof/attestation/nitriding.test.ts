import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeResponse,
  type FakeServer,
  fakePort,
  type SeenCall,
} from '../../testing/attestation/fake-server.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { type NitroParts, nitridingParts, nitroDocument } from '../../testing/attestation/nitro-document.ts';
import { manualClock } from '../../types/clock.ts';
import { createNitridingProvider } from './nitriding.ts';

const servers: FakeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Respond = (call: SeenCall) => FakeResponse | null;

/**
 * A fake nitriding. Its internal server takes a hash and puts it into the documents; its public server responds
 * with `respond`, which gets the parts of an honest document and may change them.
 */
async function openProvider(
  respond: (parts: NitroParts) => FakeResponse | null,
  { takeHash = () => ({ text: '' }), timeoutMs = 5_000 }: { takeHash?: Respond; timeoutMs?: number } = {},
) {
  let hash = Buffer.alloc(32);
  const internal = await fakePort((call) => {
    hash = Buffer.from(call.body, 'base64');
    return takeHash(call);
  });
  const external = await fakePort((call) => {
    const nonce = new URL(call.url, 'http://localhost').searchParams.get('nonce') ?? '';
    return respond(nitridingParts(hash, Buffer.from(nonce, 'hex')));
  });
  servers.push(internal, external);
  const clock = manualClock(1_700_000_000);
  const options = { internalUrl: internal.url, publicUrl: external.url, timeoutMs, clock };
  return { provider: createNitridingProvider(options), internal, external };
}

const encoded = (document: Buffer): FakeResponse => ({ text: `${document.toString('base64')}\n` });
const honest = (parts: NitroParts) => encoded(nitroDocument(parts));

async function findFault(...[respond, options]: Parameters<typeof openProvider>): Promise<string | null> {
  const { provider } = await openProvider(respond, options);
  const made = await provider.attest(ourReportData);
  return made.ok ? null : made.fault.message;
}

describe('A document of nitriding (D-77)', () => {
  it('carries half of the report data as application hash, and a hash of all of it as nonce', async () => {
    const { provider, internal, external } = await openProvider(honest);
    const made = await provider.attest(ourReportData);
    const nonce = createHash('sha256').update(ourReportData).digest('hex').slice(0, 40);
    expect(internal.calls).toMatchObject([
      {
        method: 'POST',
        url: '/enclave/hash',
        contentType: 'text/plain',
        body: Buffer.from(ourReportData.subarray(0, 32)).toString('base64'),
      },
    ]);
    expect(external.calls).toMatchObject([
      { method: 'GET', url: `/enclave/attestation?nonce=${nonce}`, body: '' },
    ]);
    expect(made).toEqual({
      ok: true,
      value: {
        format: 'nitro-document',
        evidence: expect.any(Uint8Array),
        measurements: { PCR0: 'e0'.repeat(48), PCR1: 'e1'.repeat(48), PCR2: 'e2'.repeat(48) },
        issuedAt: 1_700_000_000,
      },
    });
    expect(provider).toMatchObject({ kind: 'nitriding', hardware: true });
  });

  it('is the evidence of the security module, byte by byte', async () => {
    const documents: Buffer[] = [];
    const { provider } = await openProvider((parts) => {
      documents.push(nitroDocument(parts));
      return encoded(documents[0] ?? Buffer.of());
    });
    const made = await provider.attest(ourReportData);
    expect(made.ok && Buffer.from(made.value.evidence).equals(documents[0] ?? Buffer.of())).toBe(true);
  });
});

describe('A document is rejected', () => {
  const elsewhere = createHash('sha256').update(otherData).digest().subarray(0, 20);
  it.each([
    ['with another nonce', (parts) => honest({ ...parts, nonce: elsewhere }), 'other report data'],
    ['without a nonce', (parts) => honest({ ...parts, nonce: null }), 'other report data'],
    [
      'with the hash of another application',
      ({ nonce }) => honest(nitridingParts(otherData.subarray(0, 32), nonce ?? Buffer.of())),
      'other report data',
    ],
    ['without user data', (parts) => honest({ ...parts, userData: null }), 'other report data'],
    [
      'with user data of another form',
      (parts) => honest({ ...parts, userData: Buffer.alloc(79, 7) }),
      'other report data',
    ],
    [
      'with our hash under another name',
      (parts) => {
        const userData = Buffer.from(parts.userData ?? []);
        userData.write(';sha512:', 39);
        return honest({ ...parts, userData });
      },
      'other report data',
    ],
    [
      "with our hash in place of the certificate's hash",
      (parts) => {
        const userData = Buffer.from(parts.userData ?? []);
        const swapped = [
          userData.subarray(0, 7),
          userData.subarray(47),
          userData.subarray(39, 47),
          userData.subarray(7, 39),
        ];
        return honest({ ...parts, userData: Buffer.concat(swapped) });
      },
      'other report data',
    ],
    ['of an enclave in debug mode', (parts) => honest({ ...parts, registers: {} }), 'debug mode'],
    [
      'that is the JSON of a nitriding in debug mode',
      () => ({ text: Buffer.from('{}').toString('base64') }),
      'not a Nitro document',
    ],
    ['that is not base64', () => ({ text: '<html>' }), 'not a Nitro document'],
    [
      'in an envelope of another form',
      (parts) => encoded(Buffer.concat([Buffer.of(0x85), nitroDocument(parts).subarray(1), Buffer.of(0xf6)])),
      'not a Nitro document',
    ],
    ['that is truncated', (parts) => encoded(nitroDocument(parts).subarray(0, 400)), 'not a Nitro document'],
    ['that is empty', () => ({ text: '' }), 'not a Nitro document'],
    [
      'with an error status',
      () => ({ status: 503, text: 'profiling' }),
      'no attestation document (HTTP 503)',
    ],
    ['that is too large', () => ({ text: 'x'.repeat(1_048_577) }), 'larger than 1048576 bytes'],
  ] as Array<[string, (parts: NitroParts) => FakeResponse, string]>)(
    '%s',
    async (_name, respond, sentence) => {
      expect(await findFault(respond)).toContain(sentence);
    },
  );

  it('when nitriding rejects the hash, and then the provider requests none', async () => {
    const { provider, external } = await openProvider(honest, {
      takeHash: () => ({ status: 400, text: 'size' }),
    });
    const message = "nitriding rejected the application's hash (HTTP 400)";
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: false, message } });
    expect(external.calls).toEqual([]);
  });

  it('that does not arrive in time', async () => {
    expect(await findFault(() => null, { timeoutMs: 30 })).toMatch(/^no response from .* in time$/);
    expect(await findFault(honest, { takeHash: () => null, timeoutMs: 30 })).toMatch(/ in time$/);
  });
});
