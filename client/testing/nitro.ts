import { createHash, sign } from 'node:crypto';
import { encode, Tagged } from 'cborg';
import { fingerprint, type Holder, issue } from './certificates.ts';
import type { Attester } from './enclave.ts';

/** A fake Nitro security module with its own root, behind nitriding. */
export type Nitro = {
  /** SHA-256 of its root, to pin instead of AWS's root. */
  readonly root: string;
  readonly attester: Attester;
};

export type NitroSettings = {
  /** The time of the documents. Certificates are valid from one hour before to two hours after. */
  readonly at: number;
  readonly leafUntil?: number;
  /** Whether the issuer of the leaf is an authority. */
  readonly isAuthority?: boolean;
  /** Changes the fields of a document before the signature. */
  readonly bend?: (document: Map<string, unknown>) => void;
  /** Changes the signed envelope. */
  readonly bendSigned?: (envelope: Uint8Array[]) => void;
  readonly algorithm?: number;
  /** Adds the tag of COSE_Sign1, which some writers add but the module does not. */
  readonly isTagged?: boolean;
};

export async function createNitro(settings: NitroSettings): Promise<Nitro> {
  const { at, isAuthority = true } = settings;
  const [from, until] = [at - 3_600, at + 7_200];
  const root = await issue({
    name: 'test.nitro-enclaves',
    issuer: null,
    from: 0,
    until: 4_000_000_000,
    authority: {},
  });
  const zone = await issue({ name: 'zone', issuer: root, from, until, authority: { pathLength: 1 } });
  const instance = await issue({
    name: 'instance',
    issuer: zone,
    from,
    until,
    ...(isAuthority && { authority: { pathLength: 0 } }),
  });
  const leaf = await issue({ name: 'enclave', issuer: instance, from, until: settings.leafUntil ?? until });
  return {
    root: fingerprint(root),
    attester: {
      provider: 'nitriding',
      hardware: true,
      attest: async (reportData) => ({
        format: 'nitro-document',
        evidence: createDocument(settings, reportData, leaf, [root, zone, instance]),
      }),
    },
  };
}

function createDocument(
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
    ['user_data', createUserData(reportData)],
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

/**
 * The user data of nitriding: the hash of its TLS certificate, which is not checked, and the hash of the
 * application.
 */
export function createUserData(reportData: Buffer): Buffer {
  const certificate = [Buffer.from('sha256:'), Buffer.alloc(32, 0xee)];
  return Buffer.concat([...certificate, Buffer.from(';sha256:'), reportData.subarray(0, 32)]);
}
