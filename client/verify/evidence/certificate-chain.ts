import { X509Certificate } from 'node:crypto';
import { isSameHex } from '../hex.ts';
import { shown } from '../key.ts';
import { type Extension, extensionsOf, readDer } from './der.ts';

const oid = { basicConstraints: '2.5.29.19', keyUsage: '2.5.29.15' } as const;

/** Critical extensions that are looked at here or by node:crypto; any other means that the chain is not understood. */
const understood: ReadonlySet<string> = new Set(Object.values(oid));

/** Reads certificates in DER. Null where one of them is none. */
export function readCertificates(ders: readonly Uint8Array[]): readonly X509Certificate[] | null {
  try {
    return ders.map((der) => new X509Certificate(der));
  } catch {
    return null;
  }
}

/**
 * Why a chain, leaf first, does not lead to one of the roots (SHA-256 in hex) at a time; null where it does. Every
 * certificate must be within its days and signed by the next, and every issuer must be allowed to issue so far (RFC 5280).
 * Lists of revoked certificates are not looked at.
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
      return `the certificate of ${nameOf(certificate)} is not issued by ${nameOf(issuer)}`;
    }
  }
  return null;
}

/** A key of a kind that node:crypto does not know throws. */
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
  const name = nameOf(certificate);
  if (atSeconds > until) return `the certificate of ${name} expired at ${shown(until)}`;
  return `the certificate of ${name} is valid from ${shown(from)} only`;
}

/** `index` counts from the leaf: so many certificates below it, one of them the leaf, does an issuer answer for. */
function extensionFault(certificate: X509Certificate, index: number): string | null {
  const name = nameOf(certificate);
  try {
    const extensions = extensionsOf(certificate.raw);
    for (const [id, { isCritical }] of extensions) {
      if (isCritical && !understood.has(id))
        return `the certificate of ${name} has a critical extension ${id}`;
    }
    if (index === 0) return null;
    const { isIssuer, pathLength } = constraintsOf(extensions.get(oid.basicConstraints));
    if (!isIssuer) return `the certificate of ${name} may not issue others`;
    return index - 1 > pathLength
      ? `the certificate of ${name} has more issuers below it than it may have`
      : null;
  } catch {
    return `the certificate of ${name} cannot be read`;
  }
}

/** BasicConstraints: { cA BOOLEAN DEFAULT FALSE, pathLenConstraint INTEGER OPTIONAL }. */
function constraintsOf(extension: Extension | undefined): { isIssuer: boolean; pathLength: number } {
  const [sequence] = readDer(extension?.value ?? Buffer.alloc(0));
  const [authority, length] = readDer(sequence?.content ?? Buffer.alloc(0));
  const isIssuer = authority?.tag === 0x01 && authority.content[0] !== 0;
  return { isIssuer, pathLength: length === undefined ? Number.POSITIVE_INFINITY : (length.content[0] ?? 0) };
}

function nameOf({ subject }: X509Certificate): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? 'nobody';
}
