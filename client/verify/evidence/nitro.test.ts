import { describe, expect, test } from 'vitest';
import { judge } from '../../testing/judge.ts';
import { createNitro, createUserData, type NitroSettings } from '../../testing/nitro.ts';
import { nitroRoot } from './nitro.ts';

const at = 1_790_000_000;

/** Checks a document of a trusted module, days after the document was made. */
async function judged(
  settings: Partial<NitroSettings> = {},
  measurements: Record<string, string> = {},
): Promise<string> {
  const { attester, root } = await createNitro({ at, ...settings });
  return judge({
    attester,
    trust: { nitroRoots: [root] },
    nowSeconds: at + 300_000,
    policy: { measurements },
  });
}

describe('A Nitro document', () => {
  test('is true with its measurements, days after its certificates have expired', async () => {
    expect(await judged()).toBe(
      'true: AWS Nitro attests an enclave with this key (2026-09-21T14:13:20Z); its code was not checked (measurements: PCR0, PCR1, PCR2)',
    );
    expect(await judged({ isTagged: true })).toMatch(/^true/);
  });

  test('is compared with the registers that the caller expects', async () => {
    const [pcr0, pcr1] = ['a0'.repeat(48), 'a1'.repeat(48)];
    expect(await judged({}, { PCR0: pcr0, pcr1: `0x${pcr1.toUpperCase()}` })).toMatch(
      /^true: .*; PCR0, pcr1 as expected$/,
    );
    expect(await judged({}, { PCR0: pcr1 })).toBe(`false: the measurement PCR0 is ${pcr0}, not ${pcr1}`);
    expect(await judged({}, { PCR3: '00'.repeat(48) })).toBe('false: the evidence has no measurement PCR3');
  });

  test('is false with a root that is not pinned', async () => {
    expect(nitroRoot).toHaveLength(64);
    const { attester } = await createNitro({ at });
    expect(await judge({ attester, trust: {}, nowSeconds: at })).toMatch(
      /^false: the Nitro document is invalid: the certificates end in a root that is not trusted \(SHA-256 [0-9a-f]{64}\)$/,
    );
  });

  const untrue: readonly [string, Partial<NitroSettings>, RegExp][] = [
    [
      'a certificate that had expired at its time',
      { leafUntil: at - 1 },
      /the certificate of enclave expired at 2026-09-21T14:13:19Z$/,
    ],
    [
      'an issuer that is no authority',
      { isAuthority: false },
      /the certificate of instance may not issue certificates$/,
    ],
    [
      'a payload that was changed after the signature',
      { bendSigned: (envelope) => flip(envelope[1], 30) },
      /(not signed by the enclave|not a Nitro document)/,
    ],
    ['a changed signature', { bendSigned: (envelope) => flip(envelope[2], 5) }, /not signed by the enclave/],
    ['another algorithm', { algorithm: -7 }, /is not a Nitro document/],
    [
      "another application's hash",
      { bend: (document) => document.set('user_data', createUserData(Buffer.alloc(64))) },
      mine(),
    ],
    ['another nonce', { bend: (document) => document.set('nonce', Buffer.alloc(20)) }, mine()],
    ['no user data', { bend: (document) => document.set('user_data', null) }, mine()],
    [
      'a time in the future',
      { bend: (document) => document.set('timestamp', (at + 400_000) * 1000) },
      /is dated in the future/,
    ],
    ['an unknown digest', { bend: (document) => document.set('digest', 'MD5') }, /is not a Nitro document/],
    [
      'registers of zeros, as in debug mode',
      { bend: (document) => document.set('pcrs', new Map([[0, Buffer.alloc(48)]])) },
      /runs in debug mode/,
    ],
    [
      'a bundle without an intermediate certificate',
      { bend: (document) => document.set('cabundle', [(document.get('cabundle') as Buffer[])[0]]) },
      /the certificate of enclave is not issued by test\.nitro-enclaves$/,
    ],
    ['no certificates', { bend: (document) => document.set('cabundle', []) }, /a root that is not trusted/],
    [
      'an unreadable certificate',
      { bend: (document) => document.set('certificate', Buffer.from('no')) },
      /has an unreadable certificate$/,
    ],
  ];
  test.each(untrue)('is false with %s', async (_, settings, sentence) => {
    const said = await judged(settings);
    expect(said).toMatch(/^false: /);
    expect(said).toMatch(sentence);
  });

  test('that is not CBOR is false', async () => {
    const attester = {
      provider: 'nitriding',
      hardware: true,
      attest: async () => ({ format: 'nitro-document', evidence: Buffer.from('not a document') }),
    };
    expect(await judge({ attester, trust: {}, nowSeconds: at })).toBe(
      'false: the evidence is not a Nitro document',
    );
  });
});

function mine(): RegExp {
  return /was made for another key, proof ledger or nonce$/;
}

function flip(bytes: Uint8Array | undefined, at: number): void {
  if (bytes !== undefined) bytes[at] = (bytes[at] ?? 0) ^ 1;
}
