import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A test certificate in DER, and the key of its subject. */
export type TestCertificate = { readonly der: Buffer; readonly pem: string; readonly privateKey: KeyObject };

const algorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' } as const;

/**
 * Makes an untrusted root and a leaf that it signed, both on P-384, valid from November 2023 to November 2033.
 */
export async function testCertificates(): Promise<{
  readonly root: TestCertificate;
  readonly leaf: TestCertificate;
}> {
  const [rootKeys, leafKeys] = [await generateKeys(), await generateKeys()];
  const period = { notBefore: new Date('2023-11-01'), notAfter: new Date('2033-11-01') };
  const issued = {
    ...period,
    issuer: 'CN=test root',
    signingKey: rootKeys.privateKey,
    signingAlgorithm: algorithm,
  };
  const root = await X509CertificateGenerator.create({
    ...issued,
    serialNumber: '01',
    subject: 'CN=test root',
    publicKey: rootKeys.publicKey,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const leaf = await X509CertificateGenerator.create({
    ...issued,
    serialNumber: '02',
    subject: 'CN=test leaf',
    publicKey: leafKeys.publicKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { root: combine(root, rootKeys), leaf: combine(leaf, leafKeys) };
}

function combine(certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): TestCertificate {
  const der = Buffer.from(certificate.rawData);
  return { der, pem: certificate.toString('pem'), privateKey: KeyObject.from(privateKey) };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}
