import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';

/** A key and the certificate that was issued to it. */
export type Holder = {
  readonly name: string;
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
};

export type CertificateRequest = {
  readonly name: string;
  /** Null for a self-signed certificate. */
  readonly issuer: Holder | null;
  readonly from: number;
  readonly until: number;
  /** Makes the certificate an authority. Without `pathLength` the chain below it is unlimited. */
  readonly authority?: { readonly pathLength?: number };
  /** Further extensions by their object identifiers. */
  readonly extensions?: readonly {
    readonly oid: string;
    readonly isCritical?: boolean;
    readonly value: Buffer;
  }[];
};

/** Issues a certificate for a new key: P-384 and ECDSA with SHA-384, as Nitro does, in handwritten DER. */
export function issue({ name, issuer, from, until, authority, extensions = [] }: CertificateRequest): Holder {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const algorithm = der(0x30, objectId('1.2.840.10045.4.3.3'));
  const all = [
    ...(authority === undefined ? [] : [constraints(authority.pathLength)]),
    ...extensions.map(({ oid, isCritical = false, value }) =>
      der(0x30, objectId(oid), ...(isCritical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value)),
    ),
  ];
  const toBeSigned = der(
    0x30,
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    encodeName(issuer?.name ?? name),
    der(0x30, time(from), time(until)),
    encodeName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(all.length === 0 ? [] : [der(0xa3, der(0x30, ...all))]),
  );
  const signature = sign('sha384', toBeSigned, issuer?.key ?? privateKey);
  const certificate = der(0x30, toBeSigned, algorithm, der(0x03, Buffer.of(0), signature));
  return { name, key: privateKey, certificate: new X509Certificate(certificate) };
}

/** SHA-256 of a certificate in hex, the form of pinned roots. */
export function fingerprint({ certificate }: Holder): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const length =
    content.length < 0x80
      ? Buffer.of(content.length)
      : Buffer.of(0x82, content.length >> 8, content.length & 0xff);
  return Buffer.concat([Buffer.of(tag), length, content]);
}

function constraints(pathLength: number | undefined): Buffer {
  const value = der(
    0x30,
    der(0x01, Buffer.of(0xff)),
    ...(pathLength === undefined ? [] : [integer(pathLength)]),
  );
  return der(0x30, objectId('2.5.29.19'), der(0x01, Buffer.of(0xff)), der(0x04, value));
}

function encodeName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, objectId('2.5.4.3'), der(0x0c, Buffer.from(name)))));
}

function time(seconds: number): Buffer {
  const text = new Date(seconds * 1000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(text));
}

function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return der(0x06, Buffer.from(bytes));
}
