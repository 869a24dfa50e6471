import { X509Certificate } from 'node:crypto';
import { isSameHex } from '../hex.ts';
import { shown } from '../key.ts';
import { type Extension, readDer, readExtensions } from './der.ts';

const oid = { basicConstraints: '2.5.29.19', keyUsage: '2.5.29.15' } as const;

/** The critical extensions that this file or node:crypto checks. Any other one fails the chain. */
const understood: ReadonlySet<string> = new Set(Object.values(oid));

/** Reads certificates in DER. Null when one of them is unreadable. */
export function readCertificates(ders: readonly Uint8Array[]): readonly X509Certificate[] | null {
  try {
    return ders.map((der) => new X509Certificate(der));
  } catch {
    return null;
  }
}

/**
 * The reason why a chain, leaf first, does not lead to one of the roots (SHA-256 in hex) at a time; null when
 * it does. Each certificate must be within its period and signed by the next one, and each issuer must be
 * allowed to issue at its place (RFC 5280). Revocation lists are not checked.
 */
export function chainFault(
  chain: readonly X509Certificate[],
  roots: readonly string[],
  atSeconds: number,
): string | null {
  const root = chain.at(-1);
  if (root === undefined) return 'there is no certificate';
  const fingerprint = root.fingerprint256.replaceAll(':', '');
  if (!roots.some((each) => isSameHex(each, fingerprint))) {
    return `the certificates end in a root that is not trusted (SHA-256 ${fingerprint.toLowerCase()})`;
  }
  for (const [index, certificate] of chain.entries()) {
    const fault = periodFault(certificate, atSeconds) ?? extensionFault(certificate, index);
    if (fault !== null) return fault;
    const issuer = chain[index + 1];
    if (issuer !== undefined && !isIssued(certificate, issuer)) {
      return `the certificate of ${readName(certificate)} is not issued by ${readName(issuer)}`;
    }
  }
  return null;
}

/** Whether the issuer signed the certificate. node:crypto throws for an unknown kind of key. */
function isIssued(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function periodFault(certificate: X509Certificate, atSeconds: number): string | null {
  const from = certificate.validFromDate.getTime() / 1000;
  const until = certificate.validToDate.getTime() / 1000;
  if (atSeconds >= from && atSeconds <= until) return null;
  const name = readName(certificate);
  if (atSeconds > until) return `the certificate of ${name} expired at ${shown(until)}`;
  return `the certificate of ${name} is not valid before ${shown(from)}`;
}

/** Checks the extensions of the certificate at `index`, counted from the leaf. */
function extensionFault(certificate: X509Certificate, index: number): string | null {
  const name = readName(certificate);
  try {
    const extensions = readExtensions(certificate.raw);
    for (const [id, { isCritical }] of extensions) {
      if (isCritical && !understood.has(id))
        return `the certificate of ${name} has an unknown critical extension ${id}`;
    }
    if (index === 0) return null;
    const { isIssuer, pathLength } = readConstraints(extensions.get(oid.basicConstraints));
    if (!isIssuer) return `the certificate of ${name} may not issue certificates`;
    return index - 1 > pathLength ? `the certificate of ${name} exceeds its path length` : null;
  } catch {
    return `the certificate of ${name} cannot be read`;
  }
}

/** BasicConstraints: { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }. */
function readConstraints(extension: Extension | undefined): { isIssuer: boolean; pathLength: number } {
  const [sequence] = readDer(extension?.value ?? Buffer.alloc(0));
  const [authority, length] = readDer(sequence?.content ?? Buffer.alloc(0));
  const isIssuer = authority?.tag === 0x01 && authority.content[0] !== 0;
  return { isIssuer, pathLength: length === undefined ? Number.POSITIVE_INFINITY : (length.content[0] ?? 0) };
}

function readName({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? 'unnamed';
}
