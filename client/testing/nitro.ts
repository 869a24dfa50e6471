import { createHash, sign } from 'node:crypto';
import { encode, Tagged } from 'cborg';
import { fingerprintOf, type Holder, issue } from './certificates.ts';
import type { Attester } from './enclave.ts';

/** A Nitro security module with a root of its own, behind nitriding. */
export type Nitro = {
  /** SHA-256 of its root, to be pinned in place of AWS's. */
  readonly root: string;
  readonly attester: Attester;
};

export type NitroSettings = {
  /** When documents are made; certificates live from an hour before to two hours after. */
  readonly at: number;
  readonly leafUntil?: number;
  /** Of the certificate that issues the leaf. */
  readonly isAuthority?: boolean;
  /** Bends the fields of a document before it is signed. */
  readonly bend?: (document: Map<string, unknown>) => void;
  /** Bends the signed envelope. */
  readonly bendSigned?: (envelope: Uint8Array[]) => void;
  readonly algorithm?: number;
  /** Under the tag of COSE_Sign1, as some write it; the module does not. */
  readonly isTagged?: boolean;
};

export function createNitro(settings: NitroSettings): Nitro {
  const { at, isAuthority = true } = settings;
  const [from, until] = [at - 3_600, at + 7_200];
  const root = issue({
    name: 'test.nitro-enclaves',
    issuer: null,
    from: 0,
    until: 4_000_000_000,
    authority: {},
  });
  const zone = issue({ name: 'zone', issuer: root, from, until, authority: { pathLength: 1 } });
  const instance = issue({
    name: 'instance',
    issuer: zone,
    from,
    until,
    ...(isAuthority && { authority: { pathLength: 0 } }),
  });
  const leaf = issue({ name: 'enclave', issuer: instance, from, until: settings.leafUntil ?? until });
  return {
    root: fingerprintOf(root),
    attester: {
      provider: 'nitriding',
      hardware: true,
      attest: async (reportData) => ({
        format: 'nitro-document',
        evidence: documentOf(settings, reportData, leaf, [root, zone, instance]),
      }),
    },
  };
}

function documentOf(
  settings: NitroSettings,
  reportData: Buffer,
  leaf: Holder,
  bundle: readonly Holder[],
): Uint8Array {
  const registers = new Map(
    Array.from({ length: 16 }, (_, index) => [index, Buffer.alloc(48, index < 3 ? 0xa0 + index : 0)]),
  );
  const document = new Map<string, unknown>([
    ['module_id', 'i-0-enc0'],
    ['digest', 'SHA384'],
    ['timestamp', settings.at * 1000],
    ['pcrs', registers],
    ['certificate', leaf.certificate.raw],
    ['cabundle', bundle.map(({ certificate }) => certificate.raw)],
    ['public_key', null],
    ['user_data', userDataOf(reportData)],
    ['nonce', createHash('sha256').update(reportData).digest().subarray(0, 20)],
  ]);
  settings.bend?.(document);
  const header = encode(new Map([[1, settings.algorithm ?? -35]]));
  const payload = encode(document);
  const signed = encode(['Signature1', header, new Uint8Array(), payload]);
  const signature = sign('sha384', signed, { key: leaf.key, dsaEncoding: 'ieee-p1363' });
  const envelope: Uint8Array[] = [header, payload, signature];
  settings.bendSigned?.(envelope);
  const parts = [envelope[0], new Map(), envelope[1], envelope[2]];
  return encode(settings.isTagged ? new Tagged(18, parts) : parts);
}

/** As nitriding writes it: the hash of its certificate, which is none of our business, and that of the application. */
export function userDataOf(reportData: Buffer): Buffer {
  const certificate = [Buffer.from('sha256:'), Buffer.alloc(32, 0xee)];
  return Buffer.concat([...certificate, Buffer.from(';sha256:'), reportData.subarray(0, 32)]);
}
