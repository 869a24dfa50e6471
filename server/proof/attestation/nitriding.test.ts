import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type FakeAnswer,
  type FakeServer,
  fakePort,
  type SeenCall,
} from '../../testing/attestation/fake-server.ts';
import { otherData, ourReportData } from '../../testing/attestation/key.ts';
import { manualClock } from '../../types/clock.ts';
import { createNitridingProvider } from './nitriding.ts';
import { type NitroParts, nitridingParts, nitroDocument } from './testing/nitro-document.ts';

const servers: FakeServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

type Answer = (call: SeenCall) => FakeAnswer | null;

/**
 * A nitriding whose public server answers with this; its internal one takes a hash and puts it into the documents. The
 * parts of a document that the security module would make are handed to `answer` to be changed or kept.
 */
async function providerOf(
  answer: (parts: NitroParts) => FakeAnswer | null,
  { takeHash = () => ({ text: '' }), timeoutMs = 5_000 }: { takeHash?: Answer; timeoutMs?: number } = {},
) {
  let hash = Buffer.alloc(32);
  const internal = await fakePort((call) => {
    hash = Buffer.from(call.body, 'base64');
    return takeHash(call);
  });
  const external = await fakePort((call) => {
    const nonce = new URL(call.url, 'http://localhost').searchParams.get('nonce') ?? '';
    return answer(nitridingParts(hash, Buffer.from(nonce, 'hex')));
  });
  servers.push(internal, external);
  const clock = manualClock(1_700_000_000);
  const options = { internalUrl: internal.url, publicUrl: external.url, timeoutMs, clock };
  return { provider: createNitridingProvider(options), internal, external };
}

const encoded = (document: Buffer): FakeAnswer => ({ text: `${document.toString('base64')}\n` });
const honest = (parts: NitroParts) => encoded(nitroDocument(parts));

async function faultOf(...[answer, options]: Parameters<typeof providerOf>): Promise<string | null> {
  const { provider } = await providerOf(answer, options);
  const made = await provider.attest(ourReportData);
  return made.ok ? null : made.fault.message;
}

describe('D-77: a document of nitriding', () => {
  it('carries the first half of the report data as hash of the application, and a hash of all of it as nonce', async () => {
    const { provider, internal, external } = await providerOf(honest);
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

  it('is the evidence as the security module made it, byte by byte', async () => {
    const documents: Buffer[] = [];
    const { provider } = await providerOf((parts) => {
      documents.push(nitroDocument(parts));
      return encoded(documents[0] ?? Buffer.of());
    });
    const made = await provider.attest(ourReportData);
    expect(made.ok && Buffer.from(made.value.evidence).equals(documents[0] ?? Buffer.of())).toBe(true);
  });
});

describe('A document is refused', () => {
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
      'with our hash in the place of the certificate',
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
      'no Nitro document',
    ],
    ['that is no base64', () => ({ text: '<html>' }), 'no Nitro document'],
    [
      'in an envelope of another form',
      (parts) => encoded(Buffer.concat([Buffer.of(0x85), nitroDocument(parts).subarray(1), Buffer.of(0xf6)])),
      'no Nitro document',
    ],
    ['that is cut short', (parts) => encoded(nitroDocument(parts).subarray(0, 400)), 'no Nitro document'],
    ['that is empty', () => ({ text: '' }), 'no Nitro document'],
    ['with an error', () => ({ status: 503, text: 'profiling' }), 'no attestation document (HTTP 503)'],
    ['that is too large', () => ({ text: 'x'.repeat(1_048_577) }), 'larger than 1048576 bytes'],
  ] as Array<[string, (parts: NitroParts) => FakeAnswer, string]>)('%s', async (_name, answer, sentence) => {
    expect(await faultOf(answer)).toContain(sentence);
  });

  it('where nitriding does not take the hash, and then none is asked for', async () => {
    const { provider, external } = await providerOf(honest, {
      takeHash: () => ({ status: 400, text: 'size' }),
    });
    const message = "nitriding did not take the application's hash (HTTP 400)";
    expect(await provider.attest(ourReportData)).toEqual({ ok: false, fault: { isAbsent: false, message } });
    expect(external.calls).toEqual([]);
  });

  it('that does not come', async () => {
    expect(await faultOf(() => null, { timeoutMs: 30 })).toMatch(/^no answer from .* in time$/);
    expect(await faultOf(honest, { takeHash: () => null, timeoutMs: 30 })).toMatch(/ in time$/);
  });
});
