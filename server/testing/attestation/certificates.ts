import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A test certificate in DER, and the key of its subject. */
export type TestCertificate = { readonly der: Buffer; readonly privateKey: KeyObject };

/**
 * Makes an untrusted root and a leaf that it signed, both on P-384, valid from November 2023 to November 2033.
 */
export function testCertificates(): { readonly root: TestCertificate; readonly leaf: TestCertificate } {
  const [rootKeys, leafKeys] = [keys(), keys()];
  const root = certificate({
    subject: 'test root',
    issuer: 'test root',
    keys: rootKeys,
    signer: rootKeys,
    isRoot: true,
  });
  const leaf = certificate({
    subject: 'test leaf',
    issuer: 'test root',
    keys: leafKeys,
    signer: rootKeys,
    isRoot: false,
  });
  return {
    root: { der: root, privateKey: rootKeys.privateKey },
    leaf: { der: leaf, privateKey: leafKeys.privateKey },
  };
}

/** Converts DER to PEM, as a TLS server needs it. */
export function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

type Keys = ReturnType<typeof keys>;

function keys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-384' });
}

const object = {
  ecdsaWithSha384: '06082a8648ce3d040303',
  commonName: '0603550403',
  basicConstraints: '0603551d13',
  keyUsage: '0603551d0f',
} as const;

/** Builds a certificate (RFC 5280, section 4.1). */
function certificate({
  subject,
  issuer,
  keys,
  signer,
  isRoot,
}: {
  readonly subject: string;
  readonly issuer: string;
  readonly keys: Keys;
  readonly signer: Keys;
  readonly isRoot: boolean;
}): Buffer {
  const algorithm = sequence(hex(object.ecdsaWithSha384));
  const time = (text: string) => der(0x17, Buffer.from(text));
  const content = sequence(
    der(0xa0, hex('020102')),
    der(0x02, Buffer.of(isRoot ? 1 : 2)),
    algorithm,
    encodeName(issuer),
    sequence(time('231101000000Z'), time('331101000000Z')),
    encodeName(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(isRoot))),
  );
  const signature = sign('sha384', content, signer.privateKey);
  return sequence(content, algorithm, der(0x03, Buffer.of(0), signature));
}

function encodeName(text: string): Buffer {
  return sequence(der(0x31, sequence(hex(object.commonName), der(0x0c, Buffer.from(text)))));
}

/** A root may only sign certificates, and a leaf may sign anything else. */
function extensions(isRoot: boolean): Buffer[] {
  const critical = hex('0101ff');
  const constraints = isRoot ? sequence(hex('0101ff')) : sequence();
  const usage = isRoot ? hex('03020204') : hex('03020780');
  return [
    sequence(hex(object.basicConstraints), critical, der(0x04, constraints)),
    sequence(hex(object.keyUsage), critical, der(0x04, usage)),
  ];
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}
