import { createHash, type KeyObject, verify } from 'node:crypto';
import { decode, encode, Tagged } from 'cborg';
import { shown } from '../key.ts';
import { chainFault, readCertificates } from './certificate-chain.ts';
import {
  clockSkewSecondsMax,
  type EvidenceFinding,
  type HardwareCase,
  refutes,
  shows,
} from './evidence-case.ts';

/**
 * SHA-256 of the root of AWS Nitro Enclaves (G1), from AWS's documentation. Each document contains the
 * certificate.
 * @see https://docs.aws.amazon.com/enclaves/latest/user/verify-root.html
 */
export const nitroRoot = '641a0321a3e244efe456463195d606317ed7cdcc3c1756e09893f3c68f79bb5b';

const coseSign1Tag = 18;
/** ES384 under the COSE header `alg`. */
const algorithm = { header: 1, es384: -35 } as const;

/**
 * Verifies a document of the Nitro security module: COSE_Sign1 with ES384. Its certificate is valid for hours,
 * so the certificates are checked at the document's time. nitriding has no room for our 64 bytes: the
 * application hash is their first half, and the nonce is the first 20 bytes of the SHA-256 of all 64 (D-77).
 */
export function readNitroDocument({
  evidence,
  reportData,
  trust,
  nowSeconds,
}: HardwareCase): EvidenceFinding {
  const envelope = readEnvelope(evidence);
  const document = envelope === null ? null : readPayload(envelope.payload);
  if (envelope === null || document === null) return refutes('the evidence is not a Nitro document');
  const chain = readCertificates([document.certificate, ...document.bundle.toReversed()]);
  if (chain === null) return refutes('the Nitro document has an unreadable certificate');
  const at = document.timestampMs / 1000;
  if (at > nowSeconds + clockSkewSecondsMax)
    return refutes(`the Nitro document is dated in the future (${shown(at)})`);
  const fault = chainFault(chain, trust.nitroRoots ?? [nitroRoot], at);
  if (fault !== null) return refutes(`the Nitro document is invalid: ${fault}`);
  const [leaf] = chain;
  if (leaf === undefined || !isSigned(envelope, leaf.publicKey)) {
    return refutes('the Nitro document is not signed by the enclave that its certificate names');
  }
  if (!carries(document, reportData))
    return refutes('the Nitro document was made for another key, proof ledger or nonce');
  const measured = [...document.registers].filter(([, value]) => value.some((byte) => byte !== 0));
  if (!measured.some(([index]) => index === 0)) {
    return refutes('the enclave runs in debug mode, so the host can read its console');
  }
  const measurements = Object.fromEntries(
    measured.map(([index, value]) => [`PCR${index}`, Buffer.from(value).toString('hex')]),
  );
  return shows(`AWS Nitro attests an enclave with this key (${shown(Math.floor(at))})`, true, measurements);
}

type Envelope = { readonly header: Uint8Array; readonly payload: Uint8Array; readonly signature: Uint8Array };

function readEnvelope(bytes: Uint8Array): Envelope | null {
  const value = decodeStrictly(bytes, [coseSign1Tag]);
  const parts: unknown = value instanceof Tagged ? value.value : value;
  if (!Array.isArray(parts) || parts.length !== 4) return null;
  const [header, , payload, signature]: unknown[] = parts;
  if (!isBytes(header) || !isBytes(payload) || !isBytes(signature)) return null;
  const protectedHeader = decodeStrictly(header);
  const isEs384 = protectedHeader instanceof Map && protectedHeader.get(algorithm.header) === algorithm.es384;
  return isEs384 ? { header, payload, signature } : null;
}

type NitroDocument = {
  readonly timestampMs: number;
  readonly registers: ReadonlyMap<number, Uint8Array>;
  readonly certificate: Uint8Array;
  /** The root comes first. */
  readonly bundle: readonly Uint8Array[];
  readonly userData: Uint8Array | null;
  readonly nonce: Uint8Array | null;
};

function readPayload(payload: Uint8Array): NitroDocument | null {
  const map = decodeStrictly(payload);
  if (!(map instanceof Map)) return null;
  const [timestampMs, certificate, bundle, registers]: unknown[] = [
    'timestamp',
    'certificate',
    'cabundle',
    'pcrs',
  ].map((name) => map.get(name));
  if (typeof timestampMs !== 'number' || !Number.isSafeInteger(timestampMs)) return null;
  if (!isBytes(certificate) || !Array.isArray(bundle) || !bundle.every(isBytes)) return null;
  if (map.get('digest') !== 'SHA384' || !isRegisters(registers)) return null;
  const optional = (name: string) => {
    const value: unknown = map.get(name);
    return isBytes(value) ? value : null;
  };
  return {
    timestampMs,
    certificate,
    bundle,
    registers,
    userData: optional('user_data'),
    nonce: optional('nonce'),
  };
}

/** Verifies the signature over the Sig_structure of RFC 9052, section 4.4. */
function isSigned({ header, payload, signature }: Envelope, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'secp384r1') return false;
  const signed = encode(['Signature1', header, new Uint8Array(), payload]);
  return verify('sha384', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * nitriding's user data: `sha256:` and 32 bytes for its certificate, `;sha256:` and 32 bytes for the
 * application.
 */
function carries({ userData, nonce }: NitroDocument, reportData: Buffer): boolean {
  if (userData === null || nonce === null) return false;
  const application = Buffer.concat([Buffer.from(';sha256:'), reportData.subarray(0, 32)]);
  const head = Buffer.from('sha256:');
  const said = Buffer.from(userData);
  return (
    said.length === head.length + 32 + application.length &&
    said.subarray(0, head.length).equals(head) &&
    said.subarray(head.length + 32).equals(application) &&
    createHash('sha256').update(reportData).digest().subarray(0, 20).equals(nonce)
  );
}

function decodeStrictly(bytes: Uint8Array, tags: readonly number[] = []): unknown {
  try {
    return decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true, tags: Tagged.preserve(...tags) });
  } catch {
    return null;
  }
}

function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isRegisters(value: unknown): value is ReadonlyMap<number, Uint8Array> {
  return (
    value instanceof Map &&
    [...value].every(([index, register]) => Number.isInteger(index) && isBytes(register))
  );
}
