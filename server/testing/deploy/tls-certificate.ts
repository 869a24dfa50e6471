import 'reflect-metadata';
import { KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

/** A certificate that signs itself, as PEM, with its key. */
export type TlsCertificate = { readonly cert: string; readonly key: string };

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Makes a certificate for `127.0.0.1` and for `gateway.example`, valid for some days from now. */
export async function makeTlsCertificate(nowSeconds: number, days: number): Promise<TlsCertificate> {
  const keys: webcrypto.CryptoKeyPair = await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ]);
  // OpenSSL would take certificates with one name for the same one.
  const unit = randomBytes(8).toString('hex');
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=gateway.example, OU=${unit}`,
    notBefore: new Date((nowSeconds - 86_400) * 1_000),
    notAfter: new Date((nowSeconds + days * 86_400) * 1_000),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'gateway.example' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: certificate.toString('pem'), key: String(key) };
}
