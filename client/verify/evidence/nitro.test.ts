import { describe, expect, test } from 'vitest';
import { judge } from '../../testing/judge.ts';
import { createNitro, type NitroSettings, userDataOf } from '../../testing/nitro.ts';
import { nitroRoot } from './nitro.ts';

const at = 1_790_000_000;

/** What is made of a document of a module whose root is trusted; days later, as verification comes. */
function judged(
  settings: Partial<NitroSettings> = {},
  measurements: Record<string, string> = {},
): Promise<string> {
  const { attester, root } = createNitro({ at, ...settings });
  return judge({
    attester,
    trust: { nitroRoots: [root] },
    nowSeconds: at + 300_000,
    policy: { measurements },
  });
}

describe('A Nitro document', () => {
  test('that is good says what it measured, days after its certificates have expired', async () => {
    expect(await judged()).toBe(
      'true: AWS Nitro vouches for an enclave with this key (2026-09-21T14:13:20Z); what code it runs was not asked (PCR0, PCR1, PCR2)',
    );
    expect(await judged({ isTagged: true })).toMatch(/^true/);
  });

  test('is held against the registers that the caller expects', async () => {
    const [pcr0, pcr1] = ['a0'.repeat(48), 'a1'.repeat(48)];
    expect(await judged({}, { PCR0: pcr0, pcr1: `0x${pcr1.toUpperCase()}` })).toMatch(
      /^true: .*; PCR0, pcr1 as expected$/,
    );
    expect(await judged({}, { PCR0: pcr1 })).toBe(`false: the measurement PCR0 is ${pcr0}, not ${pcr1}`);
    expect(await judged({}, { PCR3: '00'.repeat(48) })).toBe('false: the evidence has no measurement PCR3');
  });

  test('is believed under no other root than the one that is pinned', async () => {
    expect(nitroRoot).toHaveLength(64);
    const { attester } = createNitro({ at });
    expect(await judge({ attester, trust: {}, nowSeconds: at })).toMatch(
      /^false: the Nitro document does not stand: the certificates end in a root that is not trusted \(SHA-256 [0-9a-f]{64}\)$/,
    );
  });

  const untrue: readonly [string, Partial<NitroSettings>, RegExp][] = [
    [
      'a certificate that had expired when it was made',
      { leafUntil: at - 1 },
      /the certificate of enclave expired at 2026-09-21T14:13:19Z$/,
    ],
    [
      'an issuer that may not issue',
      { isAuthority: false },
      /the certificate of instance may not issue others$/,
    ],
    [
      'a payload that was changed after it was signed',
      { bendSigned: (envelope) => flip(envelope[1], 30) },
      /(not signed by the enclave|no document of a Nitro enclave)/,
    ],
    [
      'a signature that was changed',
      { bendSigned: (envelope) => flip(envelope[2], 5) },
      /not signed by the enclave/,
    ],
    ['another algorithm', { algorithm: -7 }, /is no document of a Nitro enclave/],
    [
      "another application's hash",
      { bend: (document) => document.set('user_data', userDataOf(Buffer.alloc(64))) },
      mine(),
    ],
    ['another nonce', { bend: (document) => document.set('nonce', Buffer.alloc(20)) }, mine()],
    ['no user data', { bend: (document) => document.set('user_data', null) }, mine()],
    [
      'a time to come',
      { bend: (document) => document.set('timestamp', (at + 400_000) * 1000) },
      /is from the future/,
    ],
    [
      'a digest that is none',
      { bend: (document) => document.set('digest', 'MD5') },
      /is no document of a Nitro enclave/,
    ],
    [
      'registers of zeros, as debug mode has them',
      { bend: (document) => document.set('pcrs', new Map([[0, Buffer.alloc(48)]])) },
      /runs in debug mode/,
    ],
    [
      'a bundle that leaves the middle out',
      { bend: (document) => document.set('cabundle', [(document.get('cabundle') as Buffer[])[0]]) },
      /the certificate of enclave is not issued by test\.nitro-enclaves$/,
    ],
    ['no certificates', { bend: (document) => document.set('cabundle', []) }, /a root that is not trusted/],
    [
      'a certificate that is none',
      { bend: (document) => document.set('certificate', Buffer.from('no')) },
      /has a certificate that is none$/,
    ],
  ];
  test.each(untrue)('is false with %s', async (_, settings, sentence) => {
    const said = await judged(settings);
    expect(said).toMatch(/^false: /);
    expect(said).toMatch(sentence);
  });

  test('that is no CBOR is no document', async () => {
    const attester = {
      provider: 'nitriding',
      hardware: true,
      attest: async () => ({ format: 'nitro-document', evidence: Buffer.from('not a document') }),
    };
    expect(await judge({ attester, trust: {}, nowSeconds: at })).toBe(
      'false: the evidence is no document of a Nitro enclave',
    );
  });
});

function mine(): RegExp {
  return /was made for another key, ledger or nonce$/;
}

function flip(bytes: Uint8Array | undefined, at: number): void {
  if (bytes !== undefined) bytes[at] = (bytes[at] ?? 0) ^ 1;
}
