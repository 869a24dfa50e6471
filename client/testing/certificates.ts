import 'reflect-metadata';
import { KeyObject, type webcrypto, X509Certificate } from 'node:crypto';
import { BasicConstraintsExtension, Extension, X509CertificateGenerator } from '@peculiar/x509';

/** A key and the certificate that was issued to it. */
export type Holder = {
  readonly name: string;
  readonly key: KeyObject;
  readonly signingKey: webcrypto.CryptoKey;
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

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } as const;

/** Issues a certificate for a new key: P-384 and ECDSA with SHA-384, as Nitro does. */
export async function issue(request: CertificateRequest): Promise<Holder> {
  const { name, issuer, from, until, authority, extensions = [] } = request;
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { rawData } = await X509CertificateGenerator.create({
    serialNumber: '01',
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    notBefore: new Date(from * 1000),
    notAfter: new Date(until * 1000),
    publicKey,
    signingKey: issuer?.signingKey ?? privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      ...(authority === undefined ? [] : [new BasicConstraintsExtension(true, authority.pathLength, true)]),
      ...extensions.map(({ oid, isCritical = false, value }) => new Extension(oid, isCritical, value)),
    ],
  });
  const certificate = new X509Certificate(Buffer.from(rawData));
  return { name, key: KeyObject.from(privateKey), signingKey: privateKey, certificate };
}

/** SHA-256 of a certificate in hex, the form of pinned roots. */
export function fingerprint({ certificate }: Holder): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}
