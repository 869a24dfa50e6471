import { verify, type X509Certificate } from 'node:crypto';
import { chainFault, readCertificates } from './certificate-chain.ts';
import { readExtensions } from './der.ts';
import {
  type EvidenceFinding,
  type HardwareCase,
  refutes,
  type SnpRoot,
  shows,
  unreadable,
} from './evidence-case.ts';

/**
 * SHA-256 of AMD's root keys (ARK) by product.
 * @see https://kdsintf.amd.com
 */
export const amdRoots: readonly SnpRoot[] = [
  { product: 'Milan', sha256: '69d063b45344d26a2e94e1f4210de49ef555308287d4c174445c95639a540bcd' },
  { product: 'Genoa', sha256: '4c6598d19c18719c5dfd4a7d335f674e5bfe1d8f800cea2cf270c10d103db2f1' },
  { product: 'Turin', sha256: '1f084161a44bb6d93778a904877d4819cafa5d05ef4193b2ded9dd9c73dd3f6a' },
];

/** SEV-SNP Firmware ABI Specification (56860), "ATTESTATION_REPORT structure". */
const at = {
  policy: 0x08,
  algorithm: 0x34,
  keyInformation: 0x48,
  reportData: 0x50,
  measurement: 0x90,
  hostData: 0xc0,
  idKeyDigest: 0xe0,
  reportedTcb: 0x180,
  chipId: 0x1a0,
  chipIdEnd: 0x1e0,
  signature: 0x2a0,
  end: 0x4a0,
} as const;

const ecdsaP384Sha384 = 1;
const debugPolicy = 1n << 19n;
/** Little-endian; P-384 uses the first 48 bytes. */
const numberBytes = 72;
const p384Bytes = 48;

/**
 * Verifies a report of AMD SEV-SNP, which carries our 64 bytes and is signed by the key of one chip at one
 * patch level (VCEK). The certificates come from the host. Nothing is fetched, and AMD's revocation lists are
 * not checked (D-84).
 */
export function readSnpReport({
  evidence,
  certificates,
  reportData,
  trust,
  nowSeconds,
}: HardwareCase): EvidenceFinding {
  if (evidence.length !== at.end || evidence.readUInt32LE(0) < 2)
    return refutes('the evidence is not an SEV-SNP report');
  if (!reportData.equals(evidence.subarray(at.reportData, at.measurement))) {
    return refutes('the SEV-SNP report was made for another key, proof ledger or nonce');
  }
  const signingKey = (evidence.readUInt32LE(at.keyInformation) >> 2) & 0b111;
  if (signingKey !== 0) return unreadable('the SEV-SNP report is not signed by a chip key (VCEK)');
  const ders = certificates === null ? null : readTable(certificates);
  if (ders === null) return unreadable('the SEV-SNP report came without the certificates of its chip');
  const chain = readCertificates(ders);
  const [leaf] = chain ?? [];
  if (chain === null || leaf === undefined)
    return refutes('the SEV-SNP report has an unreadable certificate');

  const roots = trust.snpRoots ?? amdRoots;
  const fault = chainFault(
    chain,
    roots.map(({ sha256 }) => sha256),
    nowSeconds,
  );
  if (fault !== null) return refutes(`the SEV-SNP report is invalid: ${fault}`);
  if (!isSigned(evidence, leaf))
    return refutes('the SEV-SNP report is not signed by the chip that its certificate names');
  const root = chain.at(-1)?.fingerprint256.replaceAll(':', '').toLowerCase();
  const product = roots.find(({ sha256 }) => sha256 === root)?.product;
  const mismatch =
    product === undefined ? 'its root belongs to no product' : chipFault(evidence, leaf, product);
  if (mismatch !== null)
    return refutes(`the SEV-SNP report is not of the chip that its certificate names: ${mismatch}`);
  if ((evidence.readBigUInt64LE(at.policy) & debugPolicy) !== 0n) {
    return refutes('the machine runs in debug mode, so the host can read its memory');
  }
  return shows(`AMD attests a machine with this key (SEV-SNP, ${product})`, true, {
    MEASUREMENT: evidence.subarray(at.measurement, at.hostData).toString('hex'),
    HOST_DATA: evidence.subarray(at.hostData, at.idKeyDigest).toString('hex'),
  });
}

/** From the Guest-Hypervisor Communication Block Specification (56421): chip, its issuer and AMD's root. */
const guids = [
  '63da758de6644564adc5f4b93be8accd',
  '4ab7b379bbac4fe4a02f05aef327c782',
  'c0b406a4a803495297433fb6014cd0ae',
] as const;

/**
 * The certificates of the kernel's `auxblob`, leaf first: a table of GUID, offset and length. Null if one is
 * missing.
 */
function readTable(blob: Buffer): readonly Buffer[] | null {
  const entryBytes = 24;
  const entries = new Map<string, Buffer>();
  for (let position = 0; position + entryBytes <= blob.length; position += entryBytes) {
    const guid = blob.subarray(position, position + 16).toString('hex');
    if (/^0+$/.test(guid)) break;
    const start = blob.readUInt32LE(position + 16);
    entries.set(guid, blob.subarray(start, start + blob.readUInt32LE(position + 20)));
  }
  const found = guids.map((guid) => entries.get(guid));
  return found.every((der) => der !== undefined) ? found : null;
}

function isSigned(report: Buffer, { publicKey }: X509Certificate): boolean {
  if (report.readUInt32LE(at.algorithm) !== ecdsaP384Sha384) return false;
  if (publicKey.asymmetricKeyDetails?.namedCurve !== 'secp384r1') return false;
  const number = (start: number) => Buffer.from(report.subarray(start, start + p384Bytes)).reverse();
  const signature = Buffer.concat([number(at.signature), number(at.signature + numberBytes)]);
  const signed = report.subarray(0, at.signature);
  return verify('sha384', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}

const oid = '1.3.6.1.4.1.3704.1';
const hardwareId = `${oid}.4`;

/** The byte of each part of the patch level in REPORTED_TCB, by its object identifier in the certificate. */
const older = { [`${oid}.3.1`]: 0, [`${oid}.3.2`]: 1, [`${oid}.3.3`]: 6, [`${oid}.3.8`]: 7 } as const;
const patchLevel: Readonly<Record<SnpRoot['product'], Readonly<Record<string, number>>>> = {
  Milan: older,
  Genoa: older,
  Turin: { [`${oid}.3.9`]: 0, [`${oid}.3.1`]: 1, [`${oid}.3.2`]: 2, [`${oid}.3.3`]: 3, [`${oid}.3.8`]: 7 },
};

/** The reason why a report does not match chip and patch level of its VCEK; null when it does. */
function chipFault(report: Buffer, leaf: X509Certificate, product: SnpRoot['product']): string | null {
  const extensions = readExtensions(leaf.raw);
  const id = extensions.get(hardwareId)?.value;
  const chipId = report.subarray(at.chipId, at.chipIdEnd);
  // A host may mask the chip's id. Patch level and signature then remain.
  const isMasked = chipId.every((byte) => byte === 0);
  if (!isMasked && (id === undefined || !chipId.subarray(0, id.length).equals(id)))
    return 'the chip id differs';
  for (const [part, index] of Object.entries(patchLevel[product])) {
    // The value is the DER of a small INTEGER; its last byte is the number.
    const level = extensions.get(part)?.value.at(-1);
    if (level !== report[at.reportedTcb + index]) return 'the patch level differs';
  }
  return null;
}
