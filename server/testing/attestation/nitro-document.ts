import { createHash, sign } from 'node:crypto';
import { encode } from 'cborg';
import { testCertificates } from './certificates.ts';

const { root, leaf } = await testCertificates();

export type NitroParts = {
  readonly nonce: Uint8Array | null;
  readonly userData: Uint8Array | null;
  /** Registers by their numbers; the others are zero, as in a real document. */
  readonly registers: Readonly<Record<number, Uint8Array>>;
};

/** The parts that nitriding writes into a document for an application hash and a nonce. */
export function nitridingParts(applicationHash: Uint8Array, nonce: Uint8Array): NitroParts {
  const certificateHash = createHash('sha256').update('certificate of nitriding').digest();
  return {
    nonce,
    userData: Buffer.concat([
      Buffer.from('sha256:'),
      certificateHash,
      Buffer.from(';sha256:'),
      applicationHash,
    ]),
    registers: { 0: Buffer.alloc(48, 0xe0), 1: Buffer.alloc(48, 0xe1), 2: Buffer.alloc(48, 0xe2) },
  };
}

/**
 * Makes a synthetic Nitro attestation document: COSE_Sign1 by a P-384 key under an untrusted test root. The
 * names and forms of its fields are those of the Nitro Secure Module's API.
 */
export function nitroDocument({ nonce, userData, registers }: NitroParts): Buffer {
  const all = Array.from({ length: 16 }, (_, at) => [at, registers[at] ?? Buffer.alloc(48)] as const);
  const payload = encode(
    new Map<string, unknown>([
      ['module_id', 'i-0123456789abcdef0-enc0123456789abcdef'],
      ['digest', 'SHA384'],
      ['timestamp', 1_700_000_000_000],
      ['pcrs', new Map(all)],
      ['certificate', leaf.der],
      ['cabundle', [root.der]],
      ['public_key', null],
      ['user_data', userData],
      ['nonce', nonce],
    ]),
  );
  const header = encode(new Map([[1, -35]]));
  const signed = encode(['Signature1', header, Buffer.of(), payload]);
  const signature = sign('sha384', signed, { key: leaf.privateKey, dsaEncoding: 'ieee-p1363' });
  return Buffer.from(encode([header, new Map(), payload, signature]));
}
